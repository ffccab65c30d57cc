"""Cases of a file with their items: each read once, none passed over without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.checklists.loader import load_builtin
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import discover
from evaluation.releasing.readers.family import readers

RESOLVE = load_builtin("legal-26").key_for
FILES = {
    "document_checklists/human.json": [],
    "document_checklists/end_to_end/m/x.json": {"extracted": []},
    "summary_checklists/x.json": {"extracted": []},
    "evaluation/m_summarization/x.json": "model equals reference",
}


def read(folder: Path, name: str, items: dict[str, Any]) -> tuple[list[Any], FileReport]:
    path = folder / "data" / name
    path.parent.mkdir(parents=True)
    content = {"meta_data": {"inference_model": "m"}, "results": items}
    path.write_text(json.dumps(content), encoding="utf-8")
    (found,) = discover(folder)
    report = FileReport(name)
    return list(readers(RESOLVE, [found])[found.kind].read(found.path, report)), report


@pytest.mark.parametrize("name", FILES)
def test_a_case_without_items_is_counted_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    records, report = read(tmp_path, name, {"1": {}, "2": {"Trials": FILES[name]}})
    assert [getattr(record, "case_id", None) for record in records] == ["2"]
    assert report.repairs["cases_without_items"] == 1
    assert report.repair_places["cases_without_items"] == ["case 1"]
    assert report.problems == []


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_item_and_an_item_under_two_names_are_problems(
    tmp_path: Path, name: str
) -> None:
    cell = FILES[name]
    items = {"Tryals": cell, "Trials": cell, "trials": cell}
    records, report = read(tmp_path, name, {"2": items})
    assert len(records) == 1
    assert [str(problem) for problem in report.problems] == [
        'case 2, "Tryals": is no item of this study\'s checklist. Correct the name, or add it to '
        "the template's aliases.",
        'case 2, "trials": is the same item as "Trials". Take one of the two out.',
    ]


@pytest.mark.parametrize("name", FILES)
def test_a_case_that_is_no_object_is_a_problem(tmp_path: Path, name: str) -> None:
    records, report = read(tmp_path, name, {"1": [], "2": {"Trials": FILES[name]}})
    assert len(records) == 1
    assert [problem.place for problem in report.problems] == ["case 1"]
