"""Style files into tasks, linked to the summaries that the study has."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.importing.formats import formats, recognise
from annotation.importing.style import import_styles
from annotation.models import Case, ImportReport, Study, Task, TaskSet
from annotation.records.report import FileStatus
from tests.annotation.records.test_style_file import HUMAN, MODEL, document, entry
from tests.annotation.records.thresh_files import sound
from tests.factories import make_case, make_summary


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    data = document(entry(a="Ref.", b="Mod."), entry(case="11", a="M", b="R", order=(MODEL, HUMAN)))
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_pair_becomes_a_task_that_knows_its_sides(study: Study, file: Path) -> None:
    report = import_styles([file], study)
    assert report.totals["created"] == 2
    first, second = Task.objects.order_by("position")
    assert (first.key, second.key) == ("10/m1", "11/m1")
    assert (first.content["model_text"], first.content["reference_text"]) == ("Mod.", "Ref.")
    assert first.content["imported_first"] == "reference"
    assert (second.content["model_text"], second.content["reference_text"]) == ("M", "R")
    assert second.content["imported_first"] == "model"
    assert (first.summary, first.metadata["reference_summary"]) == (None, None)
    assert TaskSet.objects.get().kind == "style"


def test_equal_texts_are_linked_and_others_are_not(study: Study, file: Path) -> None:
    case = make_case(study, "10")
    make_summary(case, "Ref.")
    make_summary(case, "Mod.", "another-model")
    summary = make_summary(case, "Mod.", "m1")
    other = make_case(study, "11")
    make_summary(other, "R ")
    make_summary(other, "m", "m1")
    report = import_styles([file], study)
    first, second = Task.objects.order_by("position")
    assert first.summary == summary
    assert first.metadata["model_summary"] == "m1"
    assert first.metadata["reference_summary"] == "reference"
    assert (second.summary, second.metadata["model_summary"]) == (None, None)
    assert report.files[0].found["linked_model_summaries"] == 1
    assert report.files[0].found["linked_references"] == 1


def test_the_same_file_again_creates_nothing_and_other_texts_are_refused(
    study: Study, file: Path
) -> None:
    import_styles([file], study)
    again = import_styles([file], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 2)
    file.write_text(json.dumps(document(entry(a="New."))), encoding="utf-8")
    report = import_styles([file], study)
    assert report.files[0].status is FileStatus.SKIPPED
    assert "tasks never change" in str(report.files[0].problems[0])
    assert Task.objects.count() == 2


def test_a_dry_run_stores_nothing(study: Study, file: Path) -> None:
    report = import_styles([file], study, dry_run=True)
    assert report.totals["created"] == 2
    assert (Task.objects.count(), Case.objects.count(), ImportReport.objects.count()) == (0, 0, 0)


@pytest.mark.django_db
def test_the_command_takes_the_format(file: Path) -> None:
    out = StringIO()
    call_command(
        "import_tasks", str(file), study="s", format="style", json=True, overlap=2,
        option=[("shuffle", True)], stdout=out, stderr=StringIO(),
    )  # fmt: skip
    assert json.loads(out.getvalue())["totals"]["created"] == 2
    task_set = TaskSet.objects.get()
    assert (task_set.key, task_set.overlap, task_set.options) == ("style", 2, {"shuffle": True})


def test_every_interface_format_is_offered_and_recognised(file: Path) -> None:
    keys = [format_.key for format_ in formats()]
    assert keys[:3] == ["comparison", "style", "thresh"]
    assert recognise("pairs.json", file.read_bytes()) == "style"
    assert recognise("46310.json", json.dumps(sound()).encode()) == "thresh"


@pytest.mark.release
def test_the_released_pairs(study: Study, release_dir: Path) -> None:
    file = release_dir / "annotation_interface/writing_comparison/data/example.json"
    report = import_styles([file], study)
    assert report.totals["created"] == 20
    assert Task.objects.filter(content__imported_first="reference").count() == 12
    assert Task.objects.filter(content__imported_first="model").count() == 8
    again: dict[str, Any] = import_styles([file], study).totals
    assert (again["created"], again["unchanged"]) == (0, 20)
