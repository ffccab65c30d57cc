"""Take a big bundle in and out: memory, speed, how long others wait, and what giving up leaves.

    python benchmarks/bench_bundle.py [--megabytes 500] [--seed 1] [--folder DIR]

Writes a bundle of invented rows (the same bytes for the same seed and size: documents, summaries,
checklists with evidence, runs of agents, comparisons, answers with every act, requests of a
judge), then verifies it, imports it into an empty SQLite database, exports it again, and imports
it three times more, given up near the end: by ``Cancelled`` from the progress callback, by
Ctrl+C, and by a kill. Each step runs in a process of its own.

Prints one JSON object: per step the seconds (and those of the processor, for the machine may be
shared), the peak memory (VmHWM), megabytes and rows a
second, the longest silence of the progress callback; for the import also how long the write
transaction was and the longest time that another process, which writes one row 20 times a second,
had to wait. Exit 1 when a step takes more than 400 MB, when the export has other bytes than the
bundle, when another writer would have given up (20 s), or when giving up left a row or a file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

MOST_MEGABYTES = 400
LONGEST_WAIT = 20.0
STEPS_OF_ALL = ["verify", "import", "export", "cancel", "interrupt", "kill"]
MOMENT = "2026-03-02T09:00:00.000000Z"
MODELS = [f"model-{n:02d}" for n in range(12)]
AGENTS = MODELS[:3]
JUDGE = "judge-one"
ANNOTATORS = ("annotator-1", "annotator-2", "annotator-3")
DOCUMENTS, DOCUMENT_WORDS, SUMMARY_WORDS, STEPS, ACTS = 3, 16_000, 600, 30, 4
CASE_BYTES = 1_420_000  # about; the size asked for is met to a few per cent
WORDS = re.findall(
    r"\S+",
    "the court order plaintiff defendant motion complaint class relief consent decree filed "
    "granted denied appeal Mu\u00f1oz \u00a7\u00a01983 injunction settlement counsel judge "
    "District parties hearing damages \u201cdue process\u201d agreed monitor compliance",
)


def rng(*names: object) -> random.Random:
    return random.Random("/".join(map(str, names)))


@lru_cache(64)
def text_of(seed: int, case: str, name: str, words: int) -> str:
    return " ".join(rng(seed, case, name).choices(WORDS, k=words))


def quote(chance: random.Random, text: str) -> tuple[int, int, str]:
    start = chance.randrange(len(text) - 200)
    end = start + chance.randrange(40, 180)
    return start, end, text[start:end]


class Invented:
    """The rows of each file of the bundle, in its order."""

    def __init__(self, seed: int, cases: int) -> None:
        from annotation.checklists.loader import load_builtin

        self.seed = seed
        self.template = load_builtin("legal-26")
        self.items = sorted(self.template.item_keys)
        self.cases = [f"{n:06d}" for n in range(1, cases + 1)]
        self.template_ref = {"key": self.template.key, "version": self.template.version}

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        yield from getattr(self, name.removesuffix(".jsonl"))()

    def study(self) -> Iterator[dict[str, Any]]:
        yield {
            "name": "Big", "description": "", "seed": self.seed, "time_zone": "UTC",
            "is_synthetic": True, "template": self.template_ref,
        }  # fmt: skip

    def templates(self) -> Iterator[dict[str, Any]]:
        yield {
            **self.template_ref, "content_hash": self.template.content_hash(),
            "content": self.template.to_json(),
        }  # fmt: skip

    def guidelines(self) -> Iterator[dict[str, Any]]:
        yield {"version": 1, "text": "# Guidelines\n", "created_at": MOMENT}

    def members(self) -> Iterator[dict[str, Any]]:
        for pseudonym in ANNOTATORS:
            yield {"pseudonym": pseudonym, "role": "annotator"}

    def cases_(self) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            yield {
                "case": case, "title": f"Case {case}", "filing_date": "2019-04-07",
                "case_type": "Education", "token_count": 5000, "length_bin": "0-8k",
                "metadata": {}, "created_at": MOMENT,
            }  # fmt: skip

    def document(self, case: str, number: int) -> str:
        return text_of(self.seed, case, f"document-{number}", DOCUMENT_WORDS)

    def summary(self, case: str, producer: str) -> str:
        return text_of(self.seed, case, producer, SUMMARY_WORDS)

    def documents(self) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            for number in range(DOCUMENTS):
                yield {
                    "case": case, "name": f"document-{number}.txt", "document_type": "Order",
                    "date": None, "position": number, "text": self.document(case, number),
                    "original_sha256": "0" * 64, "token_count": None, "metadata": {},
                }  # fmt: skip

    def summaries(self) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            for producer in (*MODELS, "reference"):
                yield {
                    "case": case, "producer": producer, "text": self.summary(case, producer),
                    "kind": "reference" if producer == "reference" else "model",
                    "original_sha256": "0" * 64, "word_count": SUMMARY_WORDS, "kept_share": None,
                    "metadata": {}, "created_at": MOMENT,
                }  # fmt: skip

    def checklists(self) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            for agent in AGENTS:
                texts = [self.document(case, number) for number in range(DOCUMENTS)]
                items = self._items(rng(self.seed, case, agent, "a"), texts, None)
                yield self._checklist(case, None, "agent", agent, items)
            for producer in (*MODELS, "reference"):
                text = self.summary(case, producer)
                items = self._items(rng(self.seed, case, producer, "c"), [text], producer)
                gold = producer == "reference"
                kind, by = ("gold", "human") if gold else ("judge", JUDGE)
                yield self._checklist(case, producer, kind, by, items)

    def _checklist(
        self, case: str, summary: str | None, kind: str, by: str, items: list[dict[str, Any]]
    ) -> dict[str, Any]:
        return {
            "case": case, "summary": summary, "producer_kind": kind, "producer": by,
            "method": "" if summary else "all", "template": self.template_ref, "metadata": {},
            "created_at": MOMENT, "items": items,
        }  # fmt: skip

    def _items(
        self, chance: random.Random, texts: list[str], summary: str | None
    ) -> list[dict[str, Any]]:
        return [
            {
                "item": item, "state": "values", "metadata": {"name": item},
                "values": [
                    {
                        "position": position, "text": " ".join(chance.choices(WORDS, k=8)),
                        "metadata": {},
                        "evidence": [
                            self._evidence(chance, texts, summary, n)
                            for n in range(chance.randrange(1, 3))
                        ],
                    }
                    for position in range(chance.randrange(1, 4))
                ],
            }
            for item in self.items
        ]  # fmt: skip

    @staticmethod
    def _evidence(
        chance: random.Random, texts: list[str], summary: str | None, position: int
    ) -> dict[str, Any]:
        number = chance.randrange(len(texts))
        start, end, found = quote(chance, texts[number])
        name = f"document-{number}.txt"
        return {
            "position": position, "summary": summary, "document": None if summary else name,
            "start": start, "end": end, "quote": found, "found": "exact",
            "source_name": "" if summary else name, "location": "",
        }  # fmt: skip

    def extraction_runs(self) -> Iterator[dict[str, Any]]:
        number = 0
        for case in self.cases:
            for agent in AGENTS:
                number += 1
                yield {
                    "run": number, "case": case, "source": "imported", "source_file": "stats.json",
                    "checklist": {
                        "summary": None, "producer_kind": "agent", "producer": agent,
                        "method": "all",
                    },
                    "model": agent, "method": "all", "unit": "", "steps": STEPS,
                    "prompt_tokens": 10**6, "completion_tokens": 10**4, "stop_reason": "done",
                    "stats": {"tools": {"read": 9}}, "metadata": {}, "started_at": None,
                    "finished_at": None, "created_at": MOMENT,
                }  # fmt: skip

    def run_steps(self) -> Iterator[dict[str, Any]]:
        for number in range(1, len(self.cases) * len(AGENTS) + 1):
            for kind in ("answer", "event"):
                for position in range(STEPS):
                    text = text_of(self.seed, str(number), f"{kind}-{position}", 120)
                    is_answer = kind == "answer"
                    yield {
                        "run": number, "kind": kind, "position": position, "step": position,
                        "name": "" if is_answer else "read_document",
                        "text": text if is_answer else "",
                        "content": {} if is_answer else {"tokens": [0, 999], "said": text[:300]},
                        "at": None,
                    }  # fmt: skip

    def _comparisons(self) -> Iterator[dict[str, Any]]:
        for case in self.cases:
            for model in MODELS:
                yield {
                    "case": case, "comparer": "gpt", "model": model, "extractor": JUDGE,
                    "method": "",
                }  # fmt: skip

    def checklist_comparisons(self) -> Iterator[dict[str, Any]]:
        for names in self._comparisons():
            yield {
                **names,
                "model_checklist": {
                    "summary": names["model"], "producer_kind": "judge", "producer": JUDGE,
                    "method": "",
                },
                "reference_checklist": {
                    "summary": "reference", "producer_kind": "gold", "producer": "human",
                    "method": "",
                },
                "source_file": "evaluation.json", "metadata": {}, "created_at": MOMENT,
            }  # fmt: skip

    def item_verdicts(self) -> Iterator[dict[str, Any]]:
        for names in self._comparisons():
            for item in self.items:
                yield {
                    **names, "item": item, "form": "list", "orientation": "known",
                    "first_side": "", "status": "read", "reason": "",
                    "payload": {
                        "form": "list", "pairs": [[0, 0], [1, 2]], "only_model": [2],
                        "only_reference": [1],
                    },
                    "shown": None,
                    "raw": {
                        "common": [
                            {"model_index": 1, "reference_index": 1},
                            {"model_index": 2, "reference_index": 3},
                        ],
                        "only_in_model": [3], "only_in_reference": [2],
                    },
                    "repairs": {}, "n_model": 3, "n_reference": 3,
                }  # fmt: skip

    def task_sets(self) -> Iterator[dict[str, Any]]:
        yield {
            "task_set": "pairs", "title": "Pairs", "kind": "comparison", "overlap": 3,
            "options": {}, "source": {}, "closed_at": None, "created_at": MOMENT,
        }  # fmt: skip

    def _tasks(self) -> Iterator[tuple[str, str, str]]:
        for case in self.cases:
            for item in self.items:
                yield case, item, f"{case}-{item}"

    def tasks(self) -> Iterator[dict[str, Any]]:
        for position, (case, item, key) in enumerate(self._tasks(), 1):
            yield {
                "task_set": "pairs", "task": key, "position": position, "case": case,
                "summary": None, "item_key": item, "form": "single",
                "content": {
                    "form": "single", "imported_first": None, "model_source": "model-01",
                    "model": [text_of(self.seed, key, "m", 12)],
                    "reference": [text_of(self.seed, key, "r", 12)],
                    "reference_source": "reference",
                },
                "content_hash": "0" * 64, "metadata": {}, "created_at": MOMENT,
            }  # fmt: skip

    def _assigned(self) -> Iterator[dict[str, Any]]:
        for _, _, key in self._tasks():
            for annotator in ANNOTATORS:
                yield {"task_set": "pairs", "task": key, "annotator": annotator, "round": 1}

    def assignments(self) -> Iterator[dict[str, Any]]:
        for number, names in enumerate(self._assigned()):
            yield {
                **names, "position": number // 3 + 1, "first_side": "model", "status": "submitted",
                "draft": {"relation": "equal"}, "version": ACTS, "submitted_version": ACTS,
                "current": 1, "created_at": MOMENT, "changed_at": MOMENT,
            }  # fmt: skip

    def answers(self) -> Iterator[dict[str, Any]]:
        for names in self._assigned():
            yield {
                **names, "version": 1, "current": True, "event": ACTS, "outcome": "submitted",
                "payload": {"form": "single", "relation": "equal"}, "first_side": "model",
                "comment": "", "flagged": False, "skip_reason": "", "active_seconds": 11.5,
                "wall_seconds": 15.0, "guideline": 1, "template": self.template_ref,
                "submitted_at": MOMENT, "metadata": {"active_measured": True},
            }  # fmt: skip

    def events(self) -> Iterator[dict[str, Any]]:
        for names in self._assigned():
            for version in range(1, ACTS + 1):
                yield {
                    **names, "version": version, "action": "choose", "before": {},
                    "after": {"relation": "equal"}, "actor": names["annotator"], "at": MOMENT,
                }  # fmt: skip

    def visits(self) -> Iterator[dict[str, Any]]:
        for names in self._assigned():
            yield {
                **names, "number": 1, "started_at": MOMENT, "last_seen_at": MOMENT,
                "active_seconds": 11.5,
            }  # fmt: skip

    def judges(self) -> Iterator[dict[str, Any]]:
        yield {
            "judge": JUDGE, "kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m",
            "api_key_env": "", "params": {}, "timeout_seconds": 60, "concurrency": 4,
            "is_anchored": False,
        }  # fmt: skip

    def judge_runs(self) -> Iterator[dict[str, Any]]:
        yield {
            "run": 1, "task_set": "pairs", "judge": JUDGE, "judge_snapshot": {"name": JUDGE},
            "prompt_hash": "0" * 64, "code_version": "0.1.0", "seed": 1, "swap": False,
            "repeats": 1, "status": "done", "error": "", "limit": None, "started_by": None,
            "created_at": MOMENT, "finished_at": MOMENT,
        }  # fmt: skip

    def _asked(self) -> Iterator[dict[str, Any]]:
        for _, _, key in self._tasks():
            yield {"run": 1, "task": key, "repeat": 1, "swapped": False}

    def judge_tasks(self) -> Iterator[dict[str, Any]]:
        for names in self._asked():
            yield {
                **names, "first_side": "model", "status": "done", "attempts": 1, "error_kind": "",
                "error": "", "finished_at": MOMENT,
            }  # fmt: skip

    def judge_calls(self) -> Iterator[dict[str, Any]]:
        for names in self._asked():
            prompt = text_of(self.seed, names["task"], "prompt", 500)
            yield {
                **names, "attempt": 1, "request": {"messages": [{"content": prompt}]},
                "request_hash": "0" * 64, "reply": {"choices": []}, "reply_text": prompt[:300],
                "error_kind": "", "error": "", "served_model": "m", "prompt_tokens": 700,
                "cached_tokens": None, "completion_tokens": 9, "reasoning_tokens": None,
                "tokens_estimated": False, "seconds": 1.5, "notes": [], "tries": [], "at": MOMENT,
            }  # fmt: skip

    def verdicts(self) -> Iterator[dict[str, Any]]:
        for names in self._asked():
            yield {
                **names, "attempt": 1, "payload": {"form": "single", "relation": "equal"},
                "repairs": {}, "explanation": {}, "at": MOMENT,
            }  # fmt: skip

    def meta_evaluations(self) -> Iterator[dict[str, Any]]:
        yield from ()


def make_bundle(folder: Path, seed: int, megabytes: int) -> None:
    """Write the bundle, by the product's own writers."""
    from evaluation.exporting.bundle import FILES, Tally, bundle_manifest
    from evaluation.exporting.writers import canonical_line, write_lines, write_manifest

    invented, tally, files = Invented(seed, max(1, megabytes * 10**6 // CASE_BYTES)), Tally(), []
    folder.mkdir(parents=True)

    def lines(name: str) -> Iterator[bytes]:
        rows = invented.cases_() if name == "cases.jsonl" else invented.rows(name)
        for row in rows:
            parsed = FILES[name].model_validate(json.loads(json.dumps(row)))
            tally.add(parsed)
            yield canonical_line(row)

    for name in FILES:
        files.append(write_lines(folder, name, lines(name)))
    write_manifest(folder, bundle_manifest(tally, files))


class Listening:
    """A progress callback that keeps the longest silence, and may give up."""

    def __init__(self, give_up: Callable[[], None] | None = None, share: float = 0.9) -> None:
        self.calls = 0
        self.silence = 0.0
        self.moment = time.perf_counter()
        self.give_up, self.share = give_up, share

    def __call__(self, done: int, total: int) -> None:
        now = time.perf_counter()
        self.silence = max(self.silence, now - self.moment)
        self.moment, self.calls = now, self.calls + 1
        if self.give_up is not None and done >= self.share * total:
            self.give_up()


def peak_megabytes() -> float:
    """The most memory that this process ever held (VmHWM)."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in x)
    return round(int(line.split()[1]) * 1024 / 10**6, 1)


def child(step: str, folder: Path, out: Path) -> dict[str, Any]:
    """One step, in a process of its own."""
    if step == "verify":
        from evaluation.exporting.verifying import verify

        heard = Listening()
        begin = time.perf_counter()
        problems = verify(folder, heard)
        extra: dict[str, Any] = {"problems": problems}
    else:
        import django

        django.setup()
        heard, extra, begin = _in_database(step, folder, out)
    return {
        "seconds": round(time.perf_counter() - begin, 1), "peak_mb": peak_megabytes(),
        "cpu_seconds": round(time.process_time(), 1),
        "progress_calls": heard.calls, "longest_silence": round(heard.silence, 2), **extra,
    }  # fmt: skip


def _in_database(step: str, folder: Path, out: Path) -> tuple[Listening, dict[str, Any], float]:
    from annotation.importing.cancelling import Cancelled
    from annotation.models import Study
    from evaluation.exporting.loading.importing import import_bundle
    from evaluation.exporting.loading.writing import Spool
    from evaluation.exporting.services import BUNDLE, Wanted, export_study

    def cancel() -> None:
        raise Cancelled("Given up.")

    give_up: dict[str, Callable[[], None]] = {
        "cancel": cancel,
        "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT),
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    }
    heard, extra = Listening(give_up.get(step)), {}
    begin = time.perf_counter()
    if step == "export":
        export_study(Study.objects.get(), Wanted(BUNDLE), out, progress=heard)
    elif step == "import":
        write, held = Spool.write, [0.0, 0.0]

        def timed(*words: Any) -> Any:
            held[:] = time.perf_counter(), time.process_time()
            ids = write(*words)
            held[:] = time.perf_counter() - held[0], time.process_time() - held[1]
            return ids

        Spool.write = timed  # type: ignore[method-assign]
        import_bundle(folder, "big", progress=heard)
        extra["transaction_seconds"], extra["transaction_cpu"] = (round(n, 1) for n in held)
    else:
        try:
            import_bundle(folder, "big", progress=heard)
        except (Cancelled, KeyboardInterrupt) as error:
            extra["raised"] = type(error).__name__
    return heard, extra, begin


def wait_for_lock(database: Path, seconds: float) -> None:
    """Write one row 20 times a second; print the longest wait when the input ends."""
    connection = sqlite3.connect(database, timeout=3600, isolation_level=None)
    connection.execute("CREATE TABLE IF NOT EXISTS bench_waits (n INTEGER)")
    longest, end = 0.0, time.perf_counter() + seconds
    parent = os.getppid()
    while time.perf_counter() < end and os.getppid() == parent and not sys.stdin.closed:
        begin = time.perf_counter()
        connection.execute("INSERT INTO bench_waits VALUES (1)")
        longest = max(longest, time.perf_counter() - begin)
        print(round(longest, 3), flush=True)
        time.sleep(0.05)


def run(step: str, folder: Path, database: Path, out: Path) -> dict[str, Any]:
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{database}",
        "DJANGO_SETTINGS_MODULE": "gavel_site.settings",
        "DJANGO_DEBUG": "",
    }
    words = [sys.executable, __file__, "--child", step, "--folder", str(folder), "--out", str(out)]
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False, cwd=ROOT
    )
    lines = done.stdout.strip().splitlines()
    result = dict(json.loads(lines[-1])) if lines else {"exit": done.returncode}
    if not lines and step != "kill":
        print(done.stderr, file=sys.stderr)
    return result


def rows_left(database: Path) -> dict[str, int]:
    """Tables with rows that no empty database has."""
    with sqlite3.connect(database) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
            if name.startswith(("annotation_", "agent_", "evaluation_"))
        ]
        counts = {t: connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables}  # noqa: S608
    return {table: count for table, count in counts.items() if count}


def measure(folder: Path, place: Path, steps: list[str]) -> dict[str, Any]:
    size = sum(path.stat().st_size for path in folder.iterdir()) / 10**6
    rows = sum(
        entry["rows"] for entry in json.loads((folder / "manifest.json").read_bytes())["files"]
    )
    results: dict[str, Any] = {"megabytes": round(size, 1), "rows": rows, "steps": {}}
    empty = place / "empty.sqlite3"
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{empty}"}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    before = rows_left(empty)
    with sqlite3.connect(empty) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for step in steps:
        database = place / ("db.sqlite3" if step in ("import", "export") else f"{step}.sqlite3")
        if step not in ("verify", "export"):
            database.write_bytes(empty.read_bytes())
        waiting = None
        if step == "import":
            waiting = subprocess.Popen(
                [sys.executable, __file__, "--wait", str(database)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        result = run(step, folder, database, place / "again")
        if waiting is not None:
            time.sleep(1)
            waiting.terminate()
            said = waiting.communicate()[0].split()
            result["another_writer_waited"] = float(said[-1])
        if step in ("verify", "import", "export"):
            result["mb_per_second"] = round(size / result["seconds"], 1)
            result["rows_per_second"] = round(rows / result["seconds"])
        else:
            result["left"] = {} if rows_left(database) == before else rows_left(database)
        results["steps"][step] = result
        print(step, json.dumps(result), file=sys.stderr, flush=True)
    if "export" in steps:
        results["stored_rows"] = sum(rows_left(place / "db.sqlite3").values())
        results["export_has_the_same_bytes"] = all(
            path.read_bytes() == (place / "again" / path.name).read_bytes()
            for path in folder.iterdir()
        )
    return results


def sound(results: dict[str, Any]) -> bool:
    steps = results["steps"]
    return (
        results.get("export_has_the_same_bytes", True)
        and not any(step.get("problems") or step.get("left") for step in steps.values())
        and all(step.get("peak_mb", 0) < MOST_MEGABYTES for step in steps.values())
        and all(step.get("another_writer_waited", 0) < LONGEST_WAIT for step in steps.values())
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the bundle is kept; made if missing")
    parser.add_argument(
        "--steps", type=lambda text: text.split(","), default=STEPS_OF_ALL, help="some of them"
    )
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--wait", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.wait:
        wait_for_lock(given.wait, 3600)
        return 0
    if given.child:
        print(json.dumps(child(given.child, given.folder, given.out)))
        return 0
    with tempfile.TemporaryDirectory(prefix="gavel-bench-") as name:
        folder = given.folder or Path(name) / "bundle"
        if not folder.exists():
            make_bundle(folder, given.seed, given.megabytes)
        results = measure(folder, Path(name), given.steps)
    print(json.dumps({"seed": given.seed, **results}, indent=2))
    return 0 if sound(results) else 1


if __name__ == "__main__":
    sys.exit(main())
