"""Import a file of cases of hundreds of megabytes: memory, time, what others can do meanwhile.

    python benchmarks/bench_import_cases.py [--megabytes 300] [--seed 20260302] [--keep]

Makes the file (the same bytes for the same seed), then imports it in a process of its own, counting
tokens as in use, into a fresh SQLite database. Prints one JSON object: ``peak_mb`` is the most
memory that process ever had (VmHWM), ``reading_seconds`` the part before the transaction,
``locked_seconds`` how long nobody else could write (``locked_cpu_seconds``: had the machine been
idle and the disk fast), ``longest_silence_seconds`` the longest time between two calls of
``progress``. Then the same with ``progress`` cancelling, once while the file
is read and once while it is stored, and with the file cut off: nothing may stay. Exit 1 when
something is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MB = 1024 * 1024
LIMIT_MB = 400
WORDS = [
    *("the", "of", "to", "and", "in", "that", "court", "plaintiff", "defendant", "motion", "order"),
    *("filed", "on", "v.", "April", "7", "judge", "settlement", "class", "relief", "injunction"),
    *(
        "pursuant",
        "\u00a7",
        "1983",
        "district",
        "officer",
        "shall",
        "\u201cprison\u201d",
        "consent",
    ),
    *("decree", "monitor", "report", "counsel", "fees", "granted", "denied", "Mu\u00f1oz"),
]


def write_file(path: Path, size: int, seed: int) -> tuple[int, int]:
    """A list of cases as the release has it, of about ``size`` bytes: cases, documents."""
    rng = random.Random(seed)
    cases = documents = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        while file.tell() < size:
            texts = [_text(rng) for _ in range(rng.randint(5, 40))]
            case = {
                "case_id": str(40_000 + cases),
                "case_type": "Prison Conditions",
                "filing_date": f"20{rng.randint(10, 25)}-0{rng.randint(1, 9)}-11",
                "summary/long": _text(rng)[:5_000],
                "total_token_num": sum(map(len, texts)) // 4,
                "case_documents": texts,
                "case_documents_text": texts,
                "case_documents_title": [
                    rng.choice(["Docket", "Order", "Complaint"]) for _ in texts
                ],
                "case_documents_doc_type": ["Other"] * len(texts),
                "case_documents_date": [None] * len(texts),
                "case_documents_id": list(range(len(texts))),
                "case_documents_token_num": [len(text) // 4 for text in texts],
            }
            file.write((",\n" if cases else "\n") + json.dumps(case, ensure_ascii=False))
            cases += 1
            documents += len(texts)
        file.write("\n]\n")
    return cases, documents


def _text(rng: random.Random) -> str:
    """Up to half a million characters, most documents far shorter."""
    lines = int(min(5_000, 40 * rng.paretovariate(1.1)))
    return "\r\n".join(" ".join(rng.choices(WORDS, k=14)) for _ in range(lines))


def child(path: Path, cancel_at: str) -> None:
    """Import in this process and print what it took."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gavel_site.settings")
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    from django.db.models import Sum

    from agent.llm.tokens import o200k_base
    from annotation.importing import cases as service
    from annotation.importing.cancelling import Cancelled
    from annotation.importing.services import study_for_import
    from annotation.models import Case, SourceDocument, Summary

    size = path.stat().st_size
    times: dict[str, float] = {}
    last = began = time.monotonic()
    longest = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal last, longest
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        storing = total != size
        if (cancel_at == "reading" and done > size // 2 and not storing) or (
            cancel_at == "storing" and storing and done > total // 2
        ):
            raise Cancelled("Cancelled.")

    original = service.import_file

    def timed(*given: object, **named: object) -> None:
        times["locked"], times["cpu"] = -time.monotonic(), -time.process_time()
        try:
            original(*given, **named)
        finally:
            times["locked"] += time.monotonic()
            times["cpu"] += time.process_time()

    service.import_file = timed
    study, _ = study_for_import("bench")
    cancelled = False
    totals: dict[str, object] = {}
    try:
        report = service.import_cases(
            [path], study, count_tokens=o200k_base().count, progress=progress
        )
        totals = report.totals
    except Cancelled:
        cancelled = True
    seconds = time.monotonic() - began
    status = Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    print(
        json.dumps(
            {
                "seconds": round(seconds, 1),
                "reading_seconds": round(seconds - times.get("locked", 0.0), 1),
                "locked_seconds": round(max(0.0, times.get("locked", 0.0)), 1),
                "locked_cpu_seconds": round(times.get("cpu", 0.0), 1),
                "longest_silence_seconds": round(longest, 2),
                "peak_mb": round(peak / 1024),
                "cancelled": cancelled,
                "cases": Case.objects.count(),
                "documents": SourceDocument.objects.count(),
                "summaries": Summary.objects.count(),
                "tokens": Case.objects.aggregate(n=Sum("token_count"))["n"],
                "truncated": totals.get("truncated"),
            }
        )
    )


def measured(path: Path, database: Path, cancel_at: str = "") -> dict[str, object]:
    """``child`` in a process of its own, on a fresh database."""
    for leftover in database.parent.glob(database.name + "*"):
        leftover.unlink()
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{database}"}
    manage = [sys.executable, str(ROOT / "manage.py"), "migrate", "-v", "0"]
    subprocess.run(manage, env=env, check=True)
    command = [sys.executable, __file__, "--child", str(path), "--cancel-at", cancel_at]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20260302)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cancel-at", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child, given.cancel_at)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path, database = Path(folder) / "cases.json", Path(folder) / "bench.sqlite3"
        cases, documents = write_file(path, given.megabytes * MB, given.seed)
        result: dict[str, object] = {
            "megabytes": round(path.stat().st_size / MB),
            "cases": cases,
            "documents": documents,
            "imported": measured(path, database),
            "cancelled_while_reading": measured(path, database, "reading"),
            "cancelled_while_storing": measured(path, database, "storing"),
        }
        os.truncate(path, path.stat().st_size * 2 // 3)
        result["cut_off"] = measured(path, database)
    print(json.dumps(result, indent=1))
    return 0 if _as_it_should(result) else 1


def _as_it_should(result: dict[str, object]) -> bool:
    whole = result["imported"]
    assert isinstance(whole, dict)
    empty = [result[key] for key in result if key.startswith(("cancelled", "cut"))]
    return (
        (whole["cases"], whole["documents"]) == (result["cases"], result["documents"])
        and whole["summaries"] == result["cases"]
        and all(one["cases"] == one["documents"] == 0 for one in empty if isinstance(one, dict))
        and all(one["cancelled"] for one in empty[:2] if isinstance(one, dict))
        and empty[2]["truncated"] == 1
        and whole["peak_mb"] < LIMIT_MB
    )


if __name__ == "__main__":
    sys.exit(main())
