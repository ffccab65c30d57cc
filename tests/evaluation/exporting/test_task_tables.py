"""The tables of tasks and summaries: what is exported is imported again as it was."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from annotation.importing.csv_files import (
    import_comparison_csv,
    import_style_csv,
    import_summary_csv,
)
from annotation.importing.services import content_hash
from annotation.managing.services import create_study
from annotation.models import Study, Summary, Task
from evaluation.exporting.services import CSV, Wanted, export_study
from tests.evaluation.exporting.studies import make_rich_study
from tests.factories import make_comparison, make_task_set

pytestmark = pytest.mark.django_db
ODD = ("'=1+1", "=1+1", "-5", "@x", "\tindented", "[sealed]", '["a"]', "two\nlines", 'a "b", c')


def tasks(study: Study, kind: str) -> list[tuple[str, str, str, str]]:
    found = Task.objects.filter(task_set__study=study, task_set__kind=kind).select_related("case")
    return [
        (task.key, task.case.external_id, task.item_key, content_hash(task.content))
        for task in found.order_by("key")
    ]


def summaries(study: Study) -> list[tuple[object, ...]]:
    found = Summary.objects.filter(case__study=study).select_related("case")
    return [
        (
            s.case.external_id, s.producer, s.kind, s.text, s.case.filing_date, s.case.case_type,
            s.case.length_bin,
        )
        for s in found.order_by("case__external_id", "producer")
    ]  # fmt: skip


def test_tasks_and_summaries_come_back_as_they_were(tmp_path: Path) -> None:
    study = make_rich_study()
    odd = make_task_set(study, "odd")
    for number, text in enumerate(ODD):
        make_comparison(odd, text, f"{text} too", case_id=f"odd-{number}")
        make_comparison(odd, [text, "other"], [text], case_id=f"odd-{number}")
    export_study(study, Wanted(CSV), tmp_path / "out")
    other = create_study("other")
    for run, name in (
        (import_summary_csv, "summaries.csv"),
        (import_comparison_csv, "comparisons.csv"),
        (import_style_csv, "style_pairs.csv"),
    ):
        report = run([tmp_path / "out" / name], other)
        assert report.totals["problems"] == 0, name
        assert run([tmp_path / "out" / name], other).totals["created"] == 0
    assert len(tasks(study, "comparison")) == 4 + 2 * len(ODD)
    assert tasks(other, "comparison") == tasks(study, "comparison")
    assert tasks(other, "style") == tasks(study, "style")
    assert len(summaries(study)) == 3
    assert summaries(other) == summaries(study)


def test_the_tables_of_one_set_hold_its_tasks_alone(tmp_path: Path) -> None:
    study = make_rich_study()
    style = study.task_sets.get(key="style")
    export_study(study, Wanted(CSV, style), tmp_path / "out")
    rows = {}
    for name in ("comparisons", "style_pairs", "summaries"):
        with (tmp_path / "out" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows[name] = [row.get("task_set") for row in csv.DictReader(file)]
    assert rows == {"comparisons": [], "style_pairs": ["style"], "summaries": []}
