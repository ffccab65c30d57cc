"""The paragraph tool's files into tasks and into the checklist of their model."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.importing.thresh import IN_THE_TOOL, import_thresh
from annotation.kinds.extraction import Content
from annotation.managing.services import template_of
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
    Task,
    TaskSet,
)
from annotation.records.report import FileStatus
from tests.annotation.records.thresh_files import BOUNDS, TARGET, sound, worked_on
from tests.factories import make_case, make_summary

WITHOUT_VALUES = 24


def write(folder: Path, data: Any, name: str = "46310.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path, sound())


def test_each_paragraph_becomes_a_task_about_the_reference_summary(
    study: Study, file: Path
) -> None:
    report = import_thresh([file], study)
    # One summary, three values, two tasks.
    assert (report.totals["created"], report.totals["problems"]) == (6, 0)
    summary = Summary.objects.get()
    assert (summary.kind, summary.producer, summary.text) == ("reference", "reference", TARGET)
    first, second = Task.objects.order_by("position")
    assert (first.key, first.summary, first.case.external_id) == ("46310_p0", summary, "46310")
    content = Content.model_validate(first.content)
    assert content.seed_source == "model-one"
    assert content.paragraph is not None
    assert (content.paragraph.number, content.paragraph.count) == (0, 2)
    assert (content.paragraph.start, content.paragraph.end) == BOUNDS[0]
    assert [(s.item_key, s.text, s.origin) for s in content.seeds] == [
        ("filing_date", "May 1, 2020", "46310_p0/filing_date/0"),
        ("court_rulings", "A ruling", "46310_p0/court_rulings/1"),
    ]
    assert all(span.matches(TARGET) for seed in content.seeds for span in seed.evidence)
    assert Content.model_validate(second.content).seeds[0].text == "About R&D"
    assert TaskSet.objects.get().kind == "extraction"


def test_the_values_are_the_models_checklist_and_the_rest_is_absent(
    study: Study, file: Path
) -> None:
    import_thresh([file], study)
    checklist = Checklist.objects.get()
    assert (checklist.producer_kind, checklist.producer, checklist.method) == (
        "judge", "model-one", "",
    )  # fmt: skip
    assert checklist.items.count() == len(template_of(study).items)
    assert checklist.items.filter(state="absent").count() == WITHOUT_VALUES
    rulings = checklist.items.get(item_key="court_rulings")
    values = rulings.values.order_by("position")
    assert [value.text for value in values] == ["A ruling", "About R&D"]
    assert rulings.metadata == {"name": "Court Rulings"}
    assert [value.metadata["origin"] for value in values] == [
        "46310_p0/court_rulings/1",
        "46310_p1/court_rulings/0",
    ]
    for evidence in Evidence.objects.all():
        assert (evidence.found, evidence.summary) == ("exact", checklist.summary)
        assert TARGET[evidence.start : evidence.end] == evidence.quote


def test_the_same_file_again_creates_nothing(study: Study, file: Path) -> None:
    import_thresh([file], study)
    again = import_thresh([file], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 6)
    assert (Task.objects.count(), Checklist.objects.count()) == (2, 1)


def test_a_reference_that_is_stored_is_taken(study: Study, file: Path) -> None:
    summary = make_summary(make_case(study, "46310"), TARGET)
    report = import_thresh([file], study)
    assert (report.totals["created"], report.totals["unchanged"]) == (5, 1)
    assert Checklist.objects.get().summary == summary


@pytest.mark.parametrize("accept_partial", [False, True])
def test_another_reference_is_a_problem_that_says_which(
    study: Study, file: Path, accept_partial: bool
) -> None:
    make_summary(
        make_case(study, "46310"), TARGET.replace("court", "jury"), metadata={"file": "20.json"}
    )
    report = import_thresh([file], study, accept_partial=accept_partial)
    problem = str(report.files[0].problems[0])
    assert "not the reference summary of case 46310 that is stored (from 20.json)" in problem
    assert f"they part at character {TARGET.index('court')}." in problem
    assert (Task.objects.count(), Checklist.objects.count(), Summary.objects.count()) == (0, 0, 1)


def test_other_values_under_the_same_model_are_refused(study: Study, file: Path) -> None:
    import_thresh([file], study)
    data = sound()
    data[0]["edits"][0]["annotation"]["explanation"] = "2 May"
    report = import_thresh([write(file.parent, data)], study, task_set_key="more")
    assert report.files[0].status is FileStatus.SKIPPED
    assert "A checklist of model-one with other values is stored" in str(
        report.files[0].problems[0]
    )
    assert (Task.objects.count(), ChecklistValue.objects.count()) == (2, 3)


def test_a_checklist_with_evidence_that_was_not_found_is_another_one(
    study: Study, file: Path
) -> None:
    summary = make_summary(make_case(study, "46310"), TARGET)
    checklist = Checklist.objects.create(
        case=summary.case, summary=summary, producer_kind="judge", producer="model-one",
        template=study.template,
    )  # fmt: skip
    item = ChecklistItem.objects.create(checklist=checklist, item_key="trials", state="values")
    value = ChecklistValue.objects.create(item=item, position=0, text="")
    Evidence.objects.create(value=value, position=0, quote="nowhere", found="not_found")
    report = import_thresh([file], study)
    assert "with other values is stored" in str(report.files[0].problems[0])


def test_what_people_added_in_the_tool_is_no_value_of_the_model(
    study: Study, tmp_path: Path
) -> None:
    report = import_thresh([write(tmp_path, worked_on())], study)
    assert report.totals["problems"] == 0
    model = Checklist.objects.get(producer_kind="judge")
    assert ChecklistValue.objects.filter(item__checklist=model).count() == 3
    assert model.metadata["was_in_the_tool"] is True
    people = Checklist.objects.get(producer_kind="annotator")
    assert (people.producer, people.method) == (IN_THE_TOOL, "thresh")
    added = ChecklistValue.objects.get(item__checklist=people, text="Woodcock")
    assert added.metadata == {"origin": "46310_p0/judge_name/1 (added)"}
    assert ChecklistValue.objects.filter(item__checklist=people).count() == 4
    task = Task.objects.get(position=1)
    assert task.content["seeds"][2]["origin"] == "46310_p0/judge_name/1 (added)"
    assert task.metadata["thresh"]["tool"] == {
        "_thresh_id": 1, "bookmark": True, "comment": "sure?",
    }  # fmt: skip
    again = import_thresh([tmp_path / "46310.json"], study)
    assert (again.totals["created"], again.totals["problems"]) == (0, 0)


def test_a_models_checklist_stands_when_people_changed_its_values(study: Study, file: Path) -> None:
    import_thresh([file], study)
    data = worked_on()
    del data[0]["edits"][0]
    report = import_thresh([write(file.parent, data)], study, task_set_key="ann")
    assert report.totals["problems"] == 0
    assert report.files[0].repairs["values_changed_in_the_tool"] == 1
    assert report.files[0].repairs["ids_out_of_order"] == 1
    model = Checklist.objects.get(producer_kind="judge")
    assert ChecklistValue.objects.filter(item__checklist=model, text="May 1, 2020").exists()
    people = Checklist.objects.get(producer_kind="annotator")
    assert people.method == "ann"
    assert not ChecklistValue.objects.filter(item__checklist=people, text="May 1, 2020").exists()


def test_one_bad_paragraph_keeps_the_whole_file_out(study: Study, tmp_path: Path) -> None:
    data = sound()
    data[1]["edits"][0]["output_idx"] = [[0, 10**6]]
    path = write(tmp_path, data)
    report = import_thresh([path], study)
    assert report.files[0].status is FileStatus.SKIPPED
    assert (Case.objects.count(), Summary.objects.count(), Task.objects.count()) == (0, 0, 0)
    partial = import_thresh([path], study, accept_partial=True)
    assert (partial.totals["created"], partial.totals["problems"]) == (4, 1)


def test_a_dry_run_stores_nothing(study: Study, file: Path) -> None:
    report = import_thresh([file], study, dry_run=True)
    assert report.totals["created"] == 6
    assert (Case.objects.count(), Summary.objects.count(), Checklist.objects.count()) == (0, 0, 0)


@pytest.mark.django_db
def test_the_command_takes_a_folder(file: Path) -> None:
    write(file.parent, [], "b.json")
    (file.parent / "c.json").write_text('[{"id"', encoding="utf-8")
    out = StringIO()
    call_command(
        "import_tasks", str(file.parent), study="s", format="thresh", json=True, stdout=out,
        stderr=StringIO(),
    )  # fmt: skip
    result = json.loads(out.getvalue())
    assert [f["status"] for f in result["files"]] == ["read", "skipped", "truncated"]
    assert result["totals"]["found"]["values"] == 3


@pytest.mark.release
def test_the_released_files(study: Study, release_dir: Path) -> None:
    report = import_thresh([release_dir / "thresh"], study)
    assert len(report.files) == 20
    found: Any = report.totals["found"]
    assert (found["paragraphs"], found["values"], found["spans"]) == (254, 1586, 2458)
    assert Task.objects.count() == 254
    assert ChecklistValue.objects.count() == 1586
    assert Evidence.objects.filter(found="exact").count() == 2458
    assert Checklist.objects.filter(producer="gpt-5-2025-08-07").count() == 20
    assert report.totals["created"] == 20 + 1586 + 254
    again = import_thresh([release_dir / "thresh"], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 1860)
    assert again.totals["problems"] == 0
