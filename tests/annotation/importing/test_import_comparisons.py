"""Comparison files into tasks: all or nothing, twice the same, every problem named."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.errors import InvalidInput
from annotation.importing.comparison import import_comparisons
from annotation.importing.services import REFUSED
from annotation.models import AuditEntry, Case, ImportReport, Study, Task, TaskSet
from annotation.records.report import FileStatus
from tests.factories import make_task_set

MODEL, REFERENCE = "x/model_summarization/a.json", "x/human/a.json"


def payload(pairs: list[tuple[str, Any, Any, bool]], **changes: Any) -> dict[str, Any]:
    """A comparison file; each pair is (case, A, B, whether the model is A)."""
    data = {
        "keys": [
            {"case_id": case, "checklist_item": "Filing Date", "source_pair_idx": 0}
            for case, *_ in pairs
        ],
        "value_pairs": [
            {"item_A": a, "item_B": b, "is_list": isinstance(a, list)} for _, a, b, _ in pairs
        ],
        "orders": [
            [MODEL, REFERENCE] if model_first else [REFERENCE, MODEL] for *_, model_first in pairs
        ],
        "metadata": {"data_pair_list": [[REFERENCE, MODEL]]},
    }
    return {**data, **changes}


TWO = [("11", "May 1", "1 May", True), ("12", ["a", "b"], ["c"], False)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(payload(TWO)), encoding="utf-8")
    return path


def test_sides_are_stored_by_what_they_are_not_where_they_stood(study: Study, file: Path) -> None:
    report = import_comparisons([file], study)
    assert report.totals["created"] == 2
    single, many = Task.objects.order_by("position")
    assert (single.content["model"], single.content["reference"]) == (["May 1"], ["1 May"])
    assert single.content["imported_first"] == "model"
    assert (many.content["model"], many.content["reference"]) == (["c"], ["a", "b"])
    assert many.content["imported_first"] == "reference"
    assert (single.form, many.form) == ("single", "list")
    assert single.item_key == "filing_date"
    assert [case.external_id for case in Case.objects.order_by("external_id")] == ["11", "12"]


def test_the_same_file_again_creates_nothing(study: Study, file: Path) -> None:
    import_comparisons([file], study)
    again = import_comparisons([file], study)
    assert (again.totals["created"], again.totals["unchanged"]) == (0, 2)
    assert Task.objects.count() == 2


def test_changed_values_under_the_same_key_are_refused(study: Study, file: Path) -> None:
    import_comparisons([file], study)
    file.write_text(json.dumps(payload([("11", "June 2", "1 May", True)])), encoding="utf-8")
    report = import_comparisons([file], study)
    assert report.files[0].status is FileStatus.SKIPPED
    assert "tasks never change" in str(report.files[0].problems[0])
    assert Task.objects.get(position=1).content["model"] == ["May 1"]


def test_one_bad_pair_keeps_the_whole_file_out(study: Study, file: Path) -> None:
    data = payload(TWO)
    data["keys"][1]["checklist_item"] = "Colour of the cover"
    file.write_text(json.dumps(data), encoding="utf-8")
    report = import_comparisons([file], study)
    assert Task.objects.count() == 0
    assert Case.objects.count() == 0
    assert TaskSet.objects.count() == 0
    problems = [str(problem) for problem in report.files[0].problems]
    assert problems[0].startswith("keys[1].checklist_item: ")
    assert problems[-1] == REFUSED


def test_what_is_sound_can_be_taken_on_request(study: Study, file: Path) -> None:
    data = payload(TWO)
    data["keys"][1]["checklist_item"] = "Colour of the cover"
    file.write_text(json.dumps(data), encoding="utf-8")
    report = import_comparisons([file], study, accept_partial=True)
    assert report.totals["created"] == 1
    assert report.totals["problems"] == 1


def test_a_damaged_file_does_not_stop_the_others(study: Study, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(payload(TWO))[:100], encoding="utf-8")
    (tmp_path / "b.json").write_text("", encoding="utf-8")
    (tmp_path / "c.json").write_text(json.dumps(payload(TWO)), encoding="utf-8")
    report = import_comparisons([tmp_path], study)
    assert [file.status.value for file in report.files] == ["truncated", "empty", "read"]
    assert report.totals["created"] == 2


def test_positions_go_on_in_a_set_that_has_tasks(study: Study, file: Path, tmp_path: Path) -> None:
    import_comparisons([file], study)
    more = tmp_path / "more.json"
    more.write_text(json.dumps(payload([("13", "x", "y", True)])), encoding="utf-8")
    import_comparisons([more], study)
    assert list(Task.objects.order_by("position").values_list("position", flat=True)) == [1, 2, 3]


def test_a_set_of_another_kind_is_refused(study: Study, file: Path) -> None:
    make_task_set(study, "comparison", "style")
    with pytest.raises(InvalidInput, match="of another kind"):
        import_comparisons([file], study)


def test_an_empty_folder_is_refused_in_words(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"holds no \.json file"):
        import_comparisons([tmp_path], study)


def test_the_report_and_an_audit_row_stay(study: Study, file: Path) -> None:
    import_comparisons([file], study)
    stored = ImportReport.objects.get()
    assert stored.report["totals"]["created"] == 2
    assert AuditEntry.objects.filter(action="import.finished", study=study).count() == 1


@pytest.mark.django_db
def test_the_command_makes_an_unknown_study_and_says_so(file: Path) -> None:
    out, err = StringIO(), StringIO()
    call_command(
        "import_tasks", str(file), study="fresh", format="comparison", json=True,
        stdout=out, stderr=err,
    )  # fmt: skip
    result = json.loads(out.getvalue())
    assert set(result) == {"files", "totals"}
    assert set(result["files"][0]) == {
        "path", "status", "created", "unchanged", "repairs", "repair_places", "problems",
    }  # fmt: skip
    assert "Made the study fresh with the checklist legal-26" in err.getvalue()


@pytest.mark.django_db
def test_the_command_fails_when_nothing_could_be_read(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no such file") as refused:
        call_command("import_tasks", str(tmp_path / "no.json"), study="s", format="comparison")
    assert refused.value.returncode == 1


@pytest.mark.release
def test_the_released_pairs(study: Study, release_dir: Path) -> None:
    file = release_dir / "annotation_interface/checklist_comparison/data/example.json"
    report = import_comparisons([file], study)
    assert report.totals["created"] == 110
    assert Task.objects.filter(form="list").count() == 66
    assert Task.objects.filter(form="single").count() == 44
    assert Task.objects.filter(content__imported_first="reference").count() == 59
    assert import_comparisons([file], study).totals["created"] == 0


def test_options_are_kept_with_the_new_task_set(study: Study, file: Path) -> None:
    import_comparisons([file], study, options={"suggestions": True, "many_to_many": False})
    assert TaskSet.objects.get().options == {"suggestions": True, "many_to_many": False}
    import_comparisons([file], study, options={"many_to_many": False, "suggestions": True})
    import_comparisons([file], study)
    with pytest.raises(InvalidInput, match="made with other options"):
        import_comparisons([file], study, options={"many_to_many": True})


@pytest.mark.parametrize("options", [{"sugestions": True}, {"idle_seconds": 1}, {"shuffle": "x"}])
def test_unknown_or_impossible_options_are_refused_with_the_known_ones(
    study: Study, file: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match="The options are: many_to_many, shown_order"):
        import_comparisons([file], study, options=options)
    assert not TaskSet.objects.exists()
