"""Answers as tables and in the original shape: what is in, what is left out, offsets."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.errors import InvalidInput, Refused
from annotation.kinds import comparison, extraction
from annotation.kinds.comparison import Side
from annotation.models import Assignment, Checklist, Study, Task
from annotation.records.comparison_answer import read_original_answer
from evaluation.exporting.checklist_cells import VALUES_HEADER
from evaluation.exporting.services import ANSWERS, BUNDLE, CSV, Wanted, export_study
from evaluation.exporting.verifying import verify
from tests.evaluation.exporting.studies import (
    GOLDEN,
    HOSTILE,
    NOW,
    add_evidence,
    answer,
    extraction_payload,
    make_rich_study,
    make_task,
)
from tests.factories import (
    make_answer,
    make_case,
    make_comparison,
    make_member,
    make_summary,
    make_task_set,
)

pytestmark = pytest.mark.django_db


def table(folder: Path, name: str = "answers.csv") -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answer_files(folder: Path) -> list[dict[str, Any]]:
    paths = sorted((folder / "annotations").iterdir())
    return [json.loads(path.read_bytes()) for path in paths]


def export(study: Study, out: Path, format: str, *include: str, **kwargs: Any) -> dict[str, Any]:
    wanted = Wanted(format, kwargs.pop("task_set", None), frozenset(include))
    return export_study(study, wanted, out, **kwargs).manifest


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_offsets_are_code_points_in_jsonl_and_csv(
    study: Study, annotator: Any, tmp_path: Path, text: str, quote: str, start: int, end: int
) -> None:
    summary = make_summary(make_case(study), text)
    checklist = Checklist.objects.create(
        case=summary.case, summary=summary, producer_kind="gold", producer="human",
        template=study.template,
    )  # fmt: skip
    add_evidence(checklist, "filing_date", quote, summary, start, end)
    task = make_task(make_task_set(study, "whole", "extraction"), summary, {"seed_source": ""})
    assignment = Assignment.objects.create(
        task=task, annotator=annotator, position=1, first_side="model"
    )
    answer(assignment, extraction_payload("filing_date", quote, start, end))
    export(study, tmp_path / "csv", CSV)
    export(study, tmp_path / "bundle", BUNDLE)
    stored = json.loads((tmp_path / "bundle" / "summaries.jsonl").read_bytes())["text"]
    found = [(r["start"], r["end"], r["quote"]) for r in table(tmp_path / "csv", "evidence.csv")]
    assert found == [(str(start), str(end), quote)] * 2
    payload = json.loads(table(tmp_path / "csv")[0]["answer"])
    span = extraction.parse_answer(payload).items["filing_date"].values[0].evidence[0]
    assert (span.start, span.end, span.quote) == (start, end, quote)
    assert stored[start:end] == quote
    row = json.loads((tmp_path / "bundle" / "checklists.jsonl").read_bytes())
    evidence = row["items"][0]["values"][0]["evidence"][0]
    assert (evidence["start"], evidence["end"], evidence["quote"]) == (start, end, quote)


def states(folder: Path) -> list[tuple[str, str, str]]:
    return sorted((r["state"], r["version"], r["current"]) for r in table(folder))


def test_skipped_flagged_drafts_and_earlier_versions_are_left_out_and_counted(
    tmp_path: Path,
) -> None:
    study = make_rich_study()
    manifest = export(study, tmp_path / "plain", CSV)
    # Three answers of other kinds, the list, and the second version of the single value.
    assert states(tmp_path / "plain") == sorted(
        [("submitted", "1", "True")] * 4 + [("submitted", "2", "True")]
    )
    assert manifest["included"] == []
    assert manifest["counts"] == {
        "written": 5,
        "left_out": {"skipped": 1, "flagged": 1, "drafts": 2, "superseded": 1},
    }


@pytest.mark.parametrize(
    ("include", "more"),
    [
        ("skipped", ("skipped", "1", "True")),
        ("flagged", ("submitted", "1", "True")),
        ("superseded", ("submitted", "1", "False")),
        ("drafts", ("draft", "", "False")),
    ],
)
def test_each_can_be_included_by_name(
    tmp_path: Path, include: str, more: tuple[str, str, str]
) -> None:
    study = make_rich_study()
    export(study, tmp_path / "plain", CSV)
    manifest = export(study, tmp_path / "more", CSV, include)
    added = 2 if include == "drafts" else 1
    assert states(tmp_path / "more") == sorted(states(tmp_path / "plain") + [more] * added)
    assert manifest["counts"]["left_out"][include] == 0
    assert manifest["included"] == [include]


def test_every_row_says_who_in_which_round_and_when(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV, "drafts", "skipped", "flagged", "superseded")
    for row in table(tmp_path / "out"):
        assert row["annotator"].startswith("annotator-")
        assert row["round"] == "1"
        assert row["submitted_at"].endswith("Z")


def test_relations_pairs_and_ratings_have_columns(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV)
    by_set = {(r["task_set"], r["kind"]): r for r in table(tmp_path / "out")}
    assert by_set["style", "style"]["readability_jargon"] == "1"
    assert by_set["style", "style"]["citation_style"] == "5"
    rows = [r for r in table(tmp_path / "out") if r["task_set"] == "pairs"]
    single = next(r for r in rows if r["relation"])
    assert (single["relation"], single["comment"]) == ("different", "'" + HOSTILE)
    lists = next(r for r in rows if r["pairs"])
    # A was the reference: A1-B2 and A1-B3 are model 1 and 2 with reference 0.
    assert lists["pairs"] == "[[1,0],[2,0]]"
    assert (lists["only_model"], lists["only_reference"]) == ("[0]", "[1]")


def test_no_cell_can_run_as_a_formula(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV, "drafts", "skipped", "flagged", "superseded")
    for name in ("answers.csv", "values.csv", "evidence.csv", "item_verdicts.csv"):
        for row in table(tmp_path / "out", name):
            assert not any(
                str(cell).startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values()
            )


def test_values_have_a_row_each_and_so_have_items_without_one(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV)
    found = [
        (r["source"], r["summary"], r["method"], r["item"], r["state"], r["value_number"],
         *(r[name] for name in VALUES_HEADER[-6:]))
        for r in table(tmp_path / "out", "values.csv")
    ]  # fmt: skip
    none = ("",) * 6
    assert found == [
        ("agent", "", "all", "filing_date", "values", "1", "2", "1", "0", "0", "1", "0"),
        ("agent", "", "all", "remedy_sought", "values", "1", "3", "1", "1", "1", "0", "0"),
        ("agent", "", "all", "remedy_sought", "values", "2", "4", "0", "0", "2", "1", "1"),
        ("gold", "model-one", "", "appeals", "absent", "", *none),
        ("gold", "model-one", "", "filing_date", "values", "1", "1", "1", "0", "0", "0", "0"),
        ("answer", "model-one", "", "filing_date", "values", "1", "1", "1", "0", "0", "0", "0"),
    ]


def test_a_quote_without_a_place_has_no_offsets(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV)
    rows = table(tmp_path / "out", "evidence.csv")
    assert len(rows) == 11
    for row in rows:
        is_placed = row["found"] not in ("not_found", "not_sought")
        assert (row["start"] != "") is (row["end"] != "") is is_placed
    (unsought,) = (row for row in rows if row["found"] == "not_sought")
    assert (unsought["document"], unsought["source_name"]) == ("", "Dkt. 12")


def test_a_verdict_without_an_answer_has_empty_cells(tmp_path: Path) -> None:
    export(make_rich_study(), tmp_path / "out", CSV)
    rows = table(tmp_path / "out", "item_verdicts.csv")
    names = ("status", "orientation", "relation", "pairs", "only_reference", "n_model", "raw")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("read", "known", "equal", "", "", "1", '"equal"'),
        ("read", "recovered", "", "[[0,1],[1,0]]", "[2]", "2", rows[1]["raw"]),
        ("read", "unknown", "", "", "", "", '"A contains B"'),
        ("read", "not_needed", "equal", "", "", "", '"A equals B"'),
        ("not_scored", "unknown", "", "", "", "", "null"),
    ]
    assert json.loads(rows[1]["raw"]) == {"common": HOSTILE}


def test_one_task_set_alone(tmp_path: Path) -> None:
    study = make_rich_study()
    manifest = export(study, tmp_path / "out", CSV, task_set=study.task_sets.get(key="style"))
    assert {row["task_set"] for row in table(tmp_path / "out")} == {"style"}
    assert manifest["task_sets"] == ["style"]


def test_answer_files_have_the_original_shape_and_can_be_read_back(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "out", ANSWERS, "skipped", "flagged", "superseded")
    records = answer_files(tmp_path / "out")
    assert len(records) == 5
    for record in records:
        task = Task.objects.get(task_set__key="pairs", position=record["index"] + 1)
        content = comparison.Content.model_validate(task.content)
        read_original_answer(record, content, name="x")
    lists = next(r for r in records if r["annotation"].get("type") == "list")
    assert lists["order"] == ["reference", "model-one"]
    assert lists["annotation"]["matches"] == {
        "common": [{"A_index": 1, "B_index": 2}, {"A_index": 1, "B_index": 3}],
        "only_in_A": [2],
        "only_in_B": [1],
    }
    # 12:13 UTC in March is 07:13 in New York.
    assert lists["timestamp"] == "2026-03-04T07:13:00.123456"
    assert next(r for r in records if r["annotation"] == {"skipped": True})["index"] == 2
    relations = {
        (r["username"], r["annotation"]["relationship"])
        for r in records
        if r["annotation"].get("type") == "string"
    }
    assert relations == {
        ("annotator-1", "A contains B"),
        ("annotator-1", "A and B are different"),
        ("annotator-2", "A equals B"),
    }


def test_an_answer_file_says_what_the_stored_answer_says(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "out", ANSWERS)
    lists = next(r for r in answer_files(tmp_path / "out") if r["annotation"].get("type") == "list")
    task = Task.objects.get(task_set__key="pairs", position=2)
    read = read_original_answer(lists, comparison.Content.model_validate(task.content), name="x")
    stored = task.assignments.get().current
    assert stored is not None
    assert read.answer == comparison.parse_answer(stored.payload)
    assert read.first is Side(stored.first_side)


def test_files_of_one_person_and_second_do_not_overwrite_each_other(
    study: Study, annotator: Any, tmp_path: Path
) -> None:
    task_set = make_task_set(study)
    for n in range(3):
        task = make_comparison(task_set, "a", f"b{n}")
        assignment = Assignment.objects.create(
            task=task, annotator=annotator, position=task.position, first_side="model"
        )
        given = answer(assignment, {"form": "single", "relation": "equal"})
        assignment.visits.create(
            token="00000000-0000-4000-8000-000000000001", started_at=given.submitted_at,
            last_seen_at=given.submitted_at,
        )  # fmt: skip
    export(study, tmp_path / "out", ANSWERS)
    stem = "annotator-1_00000000-0000-4000-8000-000000000001_20260304_120300"
    names = sorted(path.name for path in (tmp_path / "out" / "annotations").iterdir())
    assert names == [f"{stem}.json", f"{stem}_2.json", f"{stem}_3.json"]
    assert {record["index"] for record in answer_files(tmp_path / "out")} == {0, 1, 2}


def test_progress_is_the_first_task_that_is_not_done(tmp_path: Path) -> None:
    study = make_rich_study()
    export(study, tmp_path / "out", ANSWERS)
    progress = tmp_path / "out" / "progress"
    found = {
        path.name: json.loads(path.read_bytes())["current_index"] for path in progress.iterdir()
    }
    # The first is reopened at index 0; the second has index 3 open; the third has done index 2.
    assert found == {
        "annotator-1_progress.json": 0,
        "annotator-2_progress.json": 3,
        "annotator-3_progress.json": 3,
    }


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    study = make_rich_study()
    sets = {task_set.key: task_set for task_set in study.task_sets.all()}
    out = tmp_path / "out"
    with pytest.raises(InvalidInput, match="A bundle always holds the whole study"):
        export(study, out, BUNDLE, task_set=sets["pairs"])
    with pytest.raises(InvalidInput, match="A bundle always holds the whole study"):
        export(study, out, BUNDLE, "skipped")
    with pytest.raises(InvalidInput, match="no place for drafts"):
        export(study, out, ANSWERS, "drafts")
    with pytest.raises(InvalidInput, match="of checklist comparison and writing style alone"):
        export(study, out, ANSWERS, task_set=sets["rest"])
    with pytest.raises(InvalidInput, match="Nothing is called gold"):
        export(study, out, CSV, "gold")
    make_task_set(study, "more")
    with pytest.raises(InvalidInput, match="rich has more, pairs"):
        export(study, out, ANSWERS)
    assert not out.exists()


def test_a_study_without_comparisons_has_no_answer_files(study: Study, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="has no tasks of checklist comparison and writing style"):
        export(study, tmp_path / "out", ANSWERS)


def test_style_answers_have_the_shape_of_the_style_tool(tmp_path: Path) -> None:
    study = make_rich_study()
    task_set = study.task_sets.get(key="style")
    given = Assignment.objects.get(task__task_set=task_set)
    assert given.current is not None
    payload = {**given.current.payload, "reasons": {"narrative_order": "both by date"}}
    make_answer(given, payload, comment="hm", active_seconds=61.6, submitted_at=NOW)
    other = make_task(task_set, make_summary(make_case(study, "77"), "x"), given.task.content)
    skipped = Assignment.objects.create(
        task=other, annotator=given.annotator, position=2, first_side="reference"
    )
    make_answer(skipped, submitted_at=NOW)
    export(study, tmp_path / "out", ANSWERS, "skipped", task_set=task_set)
    assert verify(tmp_path / "out") == []
    one, two = sorted(answer_files(tmp_path / "out"), key=lambda record: record["index"])
    assert list(one) == [
        "username", "session_id", "timestamp", "index", "key", "order", "annotation",
        "has_problem", "feedback", "time_spent_seconds",
    ]  # fmt: skip
    assert one["annotation"] == {
        "readability_reason": "", "narrative_reason": "both by date", "sentence_reason": "",
        "formatting_reason": "", "citation_reason": "", "readability_jargon": 1,
        "narrative_order": 2, "sentence_structure": 3, "formatting_layout": 4, "citation_style": 5,
    }  # fmt: skip
    assert (one["key"], one["order"]) == (given.task.case.external_id, ["m", "r"])
    # The time has the offset of New York, where the study is.
    assert one["timestamp"] == "2026-03-04T07:03:00.123456-05:00"
    assert (one["feedback"], one["time_spent_seconds"]) == ("hm", 62)
    assert (two["annotation"], two["order"]) == ({"skipped": True}, ["r", "m"])
    assert "has_problem" not in two
    names = {path.name for path in (tmp_path / "out" / "progress").iterdir()}
    assert names == {"annotator-1_progress.json"}


def test_a_study_of_style_alone_needs_no_named_set(study: Study, tmp_path: Path) -> None:
    make_task_set(study, "style", "style")
    assert export(study, tmp_path / "out", ANSWERS)["task_sets"] == ["style"]


def test_an_empty_study_exports_an_empty_table(study: Study, tmp_path: Path) -> None:
    make_member(study, "annotator", "anna")
    manifest = export(study, tmp_path / "out", CSV)
    assert table(tmp_path / "out") == []
    assert manifest["counts"]["written"] == 0
