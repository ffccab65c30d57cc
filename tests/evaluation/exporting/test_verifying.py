"""What verification finds, with nothing but files."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importing.cancelling import Cancelled
from evaluation.exporting.bundle import FILES, JudgeCallRow
from evaluation.exporting.lines import BadLine, parse_line
from evaluation.exporting.verifying import verify
from evaluation.exporting.writers import canonical_line, pretty_json

# The bundle is made in the test database once; see conftest.py.
pytestmark = pytest.mark.django_db
Rows = list[dict[str, Any]]


def read(folder: Path, name: str) -> Rows:
    return [json.loads(line) for line in (folder / name).read_bytes().split(b"\n") if line]


def mend_manifest(folder: Path) -> None:
    """What somebody does who wants to hide a change: rows and hashes set right again."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for entry in manifest["files"]:
        raw = (folder / entry["path"]).read_bytes()
        entry["rows"] = raw.count(b"\n")
        entry["sha256"] = hashlib.sha256(raw).hexdigest()
    (folder / "manifest.json").write_bytes(pretty_json(manifest))


def change(folder: Path, name: str, how: Callable[[Rows], Any], *, mend: bool = True) -> list[str]:
    """Change the rows of a file, hide it, and verify."""
    rows = read(folder, name)
    how(rows)
    (folder / name).write_bytes(b"".join(map(canonical_line, rows)))
    if mend:
        mend_manifest(folder)
    return verify(folder)


def test_exports_of_every_format_are_sound(exported: Path) -> None:
    for name in ("bundle", "csv", "answers"):
        assert verify(exported / name) == []


def test_no_database_is_needed(exported: Path, django_db_blocker: Any) -> None:
    with django_db_blocker.block():
        call_command("verify_export", str(exported / "bundle"), stdout=io.StringIO())


def test_mending_a_sound_bundle_changes_nothing(bundle: Path) -> None:
    before = (bundle / "manifest.json").read_bytes()
    mend_manifest(bundle)
    assert (bundle / "manifest.json").read_bytes() == before


def quote_of_checklist(rows: Rows) -> None:
    evidence = next(r for r in rows if r["method"] == "")["items"]
    value = next(item for item in evidence if item["values"])["values"][0]
    value["evidence"][0]["quote"] = "Woodcock"[::-1]


def quote_of_answer(rows: Rows) -> None:
    payload = next(r for r in rows if r["task_set"] == "whole")["payload"]
    payload["items"]["filing_date"]["values"][0]["evidence"][0]["quote"] = "woodcock"


def quote_of_task(rows: Rows) -> None:
    next(r for r in rows if r["task_set"] == "rest")["content"]["spans"][0]["quote"] = "abcd"


def shifted_text(rows: Rows) -> None:
    next(r for r in rows if r["producer"] == "model-one")["text"] = "the judge ruled otherwise"


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("checklists.jsonl", quote_of_checklist),
        ("answers.jsonl", quote_of_answer),
        ("tasks.jsonl", quote_of_task),
        ("summaries.jsonl", shifted_text),
    ],
)
@pytest.mark.parametrize("mend", [False, True])
def test_a_changed_quote_or_text_is_found_though_the_hash_was_mended(
    bundle: Path, name: str, how: Callable[[Rows], Any], mend: bool
) -> None:
    problems = change(bundle, name, how, mend=mend)
    assert any("not what" in problem for problem in problems)
    assert any("its hash is not the one in the manifest" in p for p in problems) is not mend


def drop(index: int) -> Callable[[Rows], Any]:
    return lambda rows: rows.pop(index)


def double(rows: Rows) -> None:
    rows.insert(1, dict(rows[0]))


def swap(rows: Rows) -> None:
    rows[0], rows[1] = rows[1], rows[0]


def setting(index: int, **fields: Any) -> Callable[[Rows], Any]:
    return lambda rows: rows[index].update(fields)


def first_evidence(rows: Rows, found: str) -> dict[str, Any]:
    """The first evidence that was found in this way."""
    return next(
        evidence
        for row in rows
        for item in row["items"]
        for value in item["values"]
        for evidence in value["evidence"]
        if evidence["found"] == found
    )


def evidence(which: str, **fields: Any) -> Callable[[Rows], Any]:
    return lambda rows: first_evidence(rows, which).update(fields)


def verdict(of: str, **fields: Any) -> Callable[[Rows], Any]:
    """Change the verdict on an item in the comparison whose checklists are there."""
    return lambda rows: next(r for r in rows if r["method"] == "all" and r["item"] == of).update(
        fields
    )


LISTS = {"form": "list", "pairs": [[0, 1], [1, 0]], "only_model": [], "only_reference": [2]}
NO_CHECKLIST = {"summary": None, "producer_kind": "agent", "producer": "x", "method": "all"}
TWO_CURRENT = "says of itself that it counts, and its assignment says otherwise"


@pytest.mark.parametrize(
    ("name", "how", "problem"),
    [
        ("answers.jsonl", drop(-1), "which counts, is missing"),
        ("answers.jsonl", double, "stands twice"),
        ("answers.jsonl", swap, "is not in its place"),
        ("answers.jsonl", lambda rows: [r.update(current=True) for r in rows], TWO_CURRENT),
        ("answers.jsonl", lambda rows: [r.update(current=False) for r in rows], TWO_CURRENT),
        ("answers.jsonl", setting(0, guideline=9), "names the guidelines 9, which are missing"),
        ("answers.jsonl", setting(0, payload=None), "is submitted and has no answer"),
        ("answers.jsonl", setting(0, event=99), "the event that made an answer is missing"),
        ("answers.jsonl", setting(0, payload={"form": "list"}), "does not answer its task"),
        ("answers.jsonl", setting(0, active_seconds=-1.5), "active_seconds"),
        ("answers.jsonl", setting(0, submitted_at="2026-02-30T00:00:00.000000Z"), "submitted_at"),
        ("answers.jsonl", setting(0, extra=1), "extra"),
        ("assignments.jsonl", drop(0), "belongs to an assignment that is missing"),
        ("assignments.jsonl", setting(0, current=None, status="submitted"), "names no answer"),
        (
            "checklists.jsonl",
            drop(0),
            "names the checklist 1001 / agent",
        ),
        ("checklists.jsonl", evidence("not_found", start=0, end=1), "was not found has offsets"),
        ("checklists.jsonl", evidence("not_sought", start=0, end=1), "was not found has offsets"),
        ("checklists.jsonl", evidence("not_sought", document="order.txt"), "names a text"),
        ("checklists.jsonl", evidence("fuzzy", start=None, end=None), "has no offsets"),
        ("checklists.jsonl", evidence("fuzzy", found="not_found"), "was not found has offsets"),
        ("checklists.jsonl", evidence("exact", found="guessed"), "must be one of exact"),
        ("checklists.jsonl", evidence("exact", location=None), "location"),
        ("extraction_runs.jsonl", drop(0), "belongs to run 1, which is missing"),
        ("extraction_runs.jsonl", setting(0, case="x"), "names the case x, which is missing"),
        ("extraction_runs.jsonl", setting(0, checklist=NO_CHECKLIST), "names the checklist 1001"),
        ("extraction_runs.jsonl", setting(0, method="guessing"), "must be one of end_to_end"),
        ("extraction_runs.jsonl", setting(0, prompt_tokens=-1), "prompt_tokens"),
        ("run_steps.jsonl", setting(0, run=9), "belongs to run 9, which is missing"),
        ("run_steps.jsonl", swap, "is not in its place"),
        ("checklist_comparisons.jsonl", drop(0), "belongs to a comparison that is missing"),
        (
            "checklist_comparisons.jsonl",
            setting(0, reference_checklist=NO_CHECKLIST),
            "names the checklist 1001",
        ),
        ("item_verdicts.jsonl", verdict("remedy_sought", n_model=1), "the model list has 1"),
        ("item_verdicts.jsonl", verdict("remedy_sought", n_reference=2), "reference list has 2"),
        ("item_verdicts.jsonl", verdict("remedy_sought", form="single"), "has the form list"),
        ("item_verdicts.jsonl", verdict("remedy_sought", payload=None), "and has no answer"),
        (
            "item_verdicts.jsonl",
            verdict("remedy_sought", payload={**LISTS, "only_model": [0]}),
            "names a value of the model twice",
        ),
        ("item_verdicts.jsonl", verdict("remedy_sought", payload={"form": "?"}), "is none"),
        ("item_verdicts.jsonl", verdict("filing_date", orientation="unknown"), "has an answer"),
        ("item_verdicts.jsonl", verdict("filing_date", status="not_scored"), "has an answer"),
        ("item_verdicts.jsonl", verdict("remedy_sought", item="x"), "no template here has"),
        ("cases.jsonl", drop(0), "names the case 1001, which is missing"),
        ("documents.jsonl", drop(0), "the text of its evidence is missing"),
        ("events.jsonl", drop(1), "the event that made an answer is missing"),
        ("events.jsonl", setting(0, actor="nobody"), "names the person nobody"),
        ("judge_calls.jsonl", drop(1), "names a request that is missing"),
        ("judge_tasks.jsonl", drop(0), "belongs to a question that is missing"),
        ("judges.jsonl", drop(0), "names the judge gemma, which is missing"),
        ("judge_runs.jsonl", setting(0, task_set="x"), "names the task set x, which is missing"),
        ("members.jsonl", drop(1), "names the annotator annotator-1, who is missing"),
        ("meta_evaluations.jsonl", setting(0, created_by="nobody"), "names the person nobody"),
        ("study.jsonl", drop(0), "it holds no study"),
        ("summaries.jsonl", drop(0), "names the summary model-one, which is missing"),
        ("task_sets.jsonl", drop(0), "names the task set pairs, which is missing"),
        ("task_sets.jsonl", setting(0, task_set="a/b"), "task_set"),
        ("tasks.jsonl", drop(0), "names a task that is missing"),
        ("templates.jsonl", drop(0), "its template legal-26 1 is missing"),
        ("templates.jsonl", setting(0, content={}), "is no checklist template"),
        ("templates.jsonl", setting(0, content_hash="0" * 64), "another hash than its content"),
        ("verdicts.jsonl", drop(0), "the question is done and has no verdict"),
        ("verdicts.jsonl", setting(0, payload={"relation": 1}), "does not answer its task"),
        ("visits.jsonl", setting(0, annotator="x"), "belongs to an assignment that is missing"),
    ],
)
def test_a_change_that_hashes_do_not_show_is_found_in_the_rows(
    bundle: Path, name: str, how: Callable[[Rows], Any], problem: str
) -> None:
    problems = change(bundle, name, how)
    assert any(problem in found for found in problems), problems


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_changed_letter_is_found_in_every_file(bundle: Path, name: str) -> None:
    """One letter of the first text of each kind of row, its hash left as it was."""
    raw = (bundle / name).read_bytes()
    at = raw.index(b'":"') + 3 if b'":"' in raw else raw.index(b'":') + 2
    changed = b"X" if raw[at : at + 1] != b"X" else b"Y"
    (bundle / name).write_bytes(raw[:at] + changed + raw[at + 1 :])
    assert f"{name}: its hash is not the one in the manifest: it was changed" in verify(bundle)


def test_every_count_of_the_manifest_is_compared_with_the_rows(bundle: Path) -> None:
    sound = json.loads((bundle / "manifest.json").read_bytes())
    for name, count in sound["counts"].items():
        wrong = {key: n + 1 for key, n in count.items()} if isinstance(count, dict) else count + 1
        changed = {**sound, "counts": {**sound["counts"], name: wrong}}
        (bundle / "manifest.json").write_text(json.dumps(changed))
        assert verify(bundle) == ["manifest.json: its counts are not those of the rows"], name


def test_progress_is_told_in_bytes_and_may_stop_it(bundle: Path) -> None:
    size = sum(path.stat().st_size for path in bundle.iterdir())
    told: list[tuple[int, int]] = []
    assert verify(bundle, lambda done, total: told.append((done, total))) == []
    manifest = (bundle / "manifest.json").stat().st_size
    assert told == [(size - manifest, size)]  # smaller than one step

    def cancel(done: int, total: int) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        verify(bundle, cancel)


def test_a_missing_row_is_found_by_count_and_hash(bundle: Path) -> None:
    problems = change(bundle, "visits.jsonl", drop(-1), mend=False)
    assert problems == [
        "visits.jsonl: it has 11 rows, the manifest says 12",
        "visits.jsonl: its hash is not the one in the manifest: it was changed",
    ]


def test_a_missing_an_unknown_and_a_linked_file_are_named(bundle: Path) -> None:
    (bundle / "events.jsonl").unlink()
    (bundle / "notes.txt").write_text("mine")
    (bundle / "visits.jsonl").unlink()
    (bundle / "visits.jsonl").symlink_to("/etc/hostname")
    problems = verify(bundle)
    assert "events.jsonl: it is missing. Get the export again." in problems
    assert "notes.txt: the manifest does not list it. Take it out." in problems
    assert "visits.jsonl: it is no plain file, and an export holds nothing else" in problems


def test_a_cut_off_file_is_called_so(bundle: Path) -> None:
    raw = (bundle / "events.jsonl").read_bytes()
    (bundle / "events.jsonl").write_bytes(raw[:-20])
    assert any("ends without a line end: the file was cut off" in p for p in verify(bundle))


def test_counts_seeds_and_offsets_of_the_manifest_are_compared_with_the_rows(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    manifest["counts"]["answers"]["submitted"] += 1
    manifest["seeds"]["study"] = 1
    manifest["offsets"] = "UTF-16 units"
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    assert verify(bundle) == [
        "manifest.json: it says that offsets are UTF-16 units, and they are code points, half-open",
        "manifest.json: its counts are not those of the rows",
        "manifest.json: its seeds are not those of the rows",
    ]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "The file is empty"),
        (b"{", "cut off"),
        (b"[]", "manifest.json: "),
        (b'{"format":"gavel-bundle","version":2,"offsets":"x","files":[]}', "version 2 of the"),
        (b'{"format":"x","version":1,"offsets":"x","files":[]}', "the format x is not known here"),
        (b'{"format":"gavel-bundle","version":1,"offsets":"x","files":7}', "files: "),
        (b"\xff\xfe{\x00", "UTF-16"),
    ],
)
def test_a_manifest_that_is_none_is_said_to_be_none(bundle: Path, raw: bytes, problem: str) -> None:
    (bundle / "manifest.json").write_bytes(raw)
    assert any(problem in found for found in verify(bundle))


def test_a_folder_that_is_no_export(tmp_path: Path) -> None:
    assert "there is no such folder" in verify(tmp_path / "nowhere")[0]
    assert verify(tmp_path) == ["manifest.json: There is no such file. Check the name."]


def test_a_path_out_of_the_folder_is_never_opened(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_bytes())
    manifest["files"].append({"path": "../../etc/passwd", "rows": 1, "sha256": "0" * 64})
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    assert verify(bundle) == [
        "manifest.json: it lists ../../etc/passwd, which is no file of a bundle",
        "../../etc/passwd: it is missing. Get the export again.",
    ]


def test_many_problems_are_counted_not_all_listed(bundle: Path) -> None:
    # 1,000 lines, the events of five answers missing, the number of rows and the hash.
    (bundle / "events.jsonl").write_bytes(b"x\n" * 1000)
    problems = [p for p in verify(bundle) if p.startswith("events.jsonl")]
    assert len(problems) == 101
    assert problems[-1] == "events.jsonl: and 907 more problems"


@pytest.mark.parametrize("name", ["csv/answers.csv", "csv/evidence.csv", "answers/annotations"])
def test_tables_and_answer_files_are_checked_too(exported: Path, tmp_path: Path, name: str) -> None:
    kind = name.split("/", maxsplit=1)[0]
    folder = Path(shutil.copytree(exported / kind, tmp_path / kind))
    path = tmp_path / name
    path = sorted(path.iterdir())[0] if path.is_dir() else path
    path.write_bytes(path.read_bytes()[:-30])
    assert any("its hash is not the one" in problem for problem in verify(folder))
    path.unlink()
    assert any("it is missing" in problem for problem in verify(folder))


def test_the_command_prints_one_object_and_fails_with_exit_code_1(bundle: Path) -> None:
    (bundle / "events.jsonl").unlink()
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"does not verify: \d+ problems") as caught:
        call_command("verify_export", str(bundle), "--json", stdout=out)
    assert caught.value.returncode == 1
    found = json.loads(out.getvalue())
    assert found["ok"] is False
    assert "events.jsonl: it is missing. Get the export again." in found["problems"]


def test_a_line_of_a_reply_that_no_encoding_holds_stays_as_it_is() -> None:
    line = canonical_line({"lone": "\ud83d", "both": "\U0001f600"})
    assert line == b'{"both":"\xf0\x9f\x98\x80","lone":"\\ud83d"}\n'
    assert canonical_line(json.loads(line)) == line


def call_line(**fields: Any) -> bytes:
    return canonical_line(
        {
            "run": 1, "task": "t", "repeat": 1, "swapped": False, "attempt": 1, "request": {},
            "request_hash": "", "reply": None, "reply_text": "", "error_kind": "", "error": "",
            "served_model": "", "prompt_tokens": None, "cached_tokens": None,
            "completion_tokens": None, "reasoning_tokens": None, "tokens_estimated": False,
            "seconds": 0.5, "notes": [], "tries": [], "at": "2026-03-04T12:03:00.000000Z",
            **fields,
        }
    )  # fmt: skip


def test_a_deeply_nested_reply_is_kept() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    line = call_line(reply=deep)
    assert canonical_line(parse_line(line, JudgeCallRow).to_json()) == line


@pytest.mark.parametrize(
    "raw",
    [
        b"{}\n", b"[]\n", b"null\n", b"\n", b"NaN\n", b"[" * 100_000 + b"\n", b"\xff\n",
        call_line()[:-1], call_line() + b"\n", b" " + call_line(),
        call_line().replace(b'"attempt":1', b'"attempt":1,"attempt":1'),
        call_line().replace(b'"seconds":0.5', b'"seconds":1e999'),
        call_line().replace(b'"seconds":0.5', b'"seconds":NaN'),
        call_line().replace(b'"reply":null', b'"reply":1e999'),
        call_line().replace(b'"reply":null', b'"reply":' + b"9" * 5000),
        call_line().replace(b'"run":1', b'"run":true'),
        call_line().replace(b'"run":1', b'"run":1.0'),
        call_line().replace(b'"run":1', b'"run":"1"'),
        call_line(task="\ud800"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_row_is_refused(raw: bytes) -> None:
    with pytest.raises(BadLine):
        parse_line(raw, JudgeCallRow)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_nothing_that_happens_to_a_bundle_is_more_than_a_problem(
    exported: Path, data: st.DataObject
) -> None:
    """Bytes flipped or cut, or a value anywhere replaced and the manifest set right."""
    folder = exported.parent / "fuzzed"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(exported / "bundle", folder)
    name = data.draw(st.sampled_from([*FILES, "manifest.json"]))
    raw = bytearray((folder / name).read_bytes())
    if data.draw(st.booleans()) or name == "manifest.json":
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        (folder / name).write_bytes(raw)
    else:
        rows = read(folder, name)
        row = data.draw(st.sampled_from(rows))
        holder: Any = row
        key: Any = data.draw(st.sampled_from(sorted(row)))
        while isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
            holder = holder[key]
            keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
            key = data.draw(st.sampled_from(keys))
        holder[key] = data.draw(JSON)
        (folder / name).write_bytes(b"".join(map(canonical_line, rows)))
        mend_manifest(folder)
    assert all(isinstance(problem, str) for problem in verify(folder))
