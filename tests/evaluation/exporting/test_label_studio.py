"""Label Studio projects: out, and back in the form in which the real Label Studio exports them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from annotation.errors import InvalidInput
from annotation.importing.formats import recognise
from annotation.importing.label_studio import import_label_studio
from annotation.importing.services import content_hash
from annotation.kinds import extraction
from annotation.kinds.style import ASPECTS
from annotation.managing.services import create_study, template_of
from annotation.models import Checklist, Evidence, Study, Summary, Task
from annotation.records.report import ImportReport
from evaluation.exporting.services import LABEL_STUDIO, Wanted, export_study
from evaluation.exporting.verifying import verify
from tests.evaluation.exporting.label_studio_study import ITEMS, TEXT, make_label_studio_study
from tests.evaluation.exporting.studies import (
    GOLDEN,
    extraction_payload,
    make_rich_study,
    make_task,
)
from tests.evaluation.exporting.studies import answer as give
from tests.factories import make_assignment, make_case, make_member, make_summary, make_task_set

pytestmark = pytest.mark.django_db
KEPT = Path(__file__).resolve().parents[2] / "data" / "label_studio"
OURS = ("pairs-list", "pairs-single", "style-style", "whole-extraction")


def export(study: Study, out: Path, *include: str) -> dict[str, Any]:
    wanted = Wanted(LABEL_STUDIO, include=frozenset(include))
    return export_study(study, wanted, out).manifest


def tasks(out: Path, project: str) -> list[dict[str, Any]]:
    return json.loads((out / project / "tasks-001.json").read_bytes())


def load(study: Study, *names: str, **more: Any) -> ImportReport:
    return import_label_studio([KEPT / f"{name}.json" for name in names], study, **more)


def said(study: Study) -> list[tuple[Any, ...]]:
    """Everything of the tasks that must come back."""
    return [
        (
            task.task_set.key, task.task_set.kind, task.key, task.case.external_id, task.item_key,
            task.form, task.content, content_hash(task.content), task.metadata,
            task.summary and (task.summary.producer, task.summary.text),
        )
        for task in Task.objects.filter(task_set__study=study)
        .select_related("task_set", "case", "summary")
        .order_by("task_set__key", "key")
    ]  # fmt: skip


def items_of(checklist: Checklist) -> dict[str, Any]:
    """A stored checklist in the shape of an extraction answer."""
    return {
        item.item_key: {
            "state": item.state,
            "values": [
                {
                    "text": value.text,
                    "evidence": [
                        {"start": e.start, "end": e.end, "quote": e.quote}
                        for e in value.evidence.order_by("position")
                    ],
                }
                for value in item.values.order_by("position")
            ],
        }
        for item in checklist.items.all()
    }


def test_the_export_is_whole_and_says_what_it_left_out(tmp_path: Path) -> None:
    manifest = export(make_rich_study(), tmp_path / "out")
    assert verify(tmp_path / "out") == []
    assert manifest["offsets"] == "code points, half-open"
    assert manifest["tasks_left_out"] == {"residual": 1}
    assert manifest["counts"] == {
        "written": 4,
        "left_out": {
            "skipped": 1, "flagged": 1, "drafts": 2, "superseded": 1, "no_place_in_this_format": 1,
        },
    }  # fmt: skip
    assert {entry["path"]: entry["rows"] for entry in manifest["files"]} == {
        "pairs-list/config.xml": 1, "pairs-list/tasks-001.json": 1,
        "pairs-single/config.xml": 1, "pairs-single/tasks-001.json": 3,
        "style-style/config.xml": 1, "style-style/tasks-001.json": 1,
        "whole-extraction/config.xml": 1, "whole-extraction/tasks-001.json": 1,
    }  # fmt: skip
    assert "secret" not in "".join(
        path.read_text(encoding="utf-8") for path in sorted((tmp_path / "out").rglob("*.*"))
    )


@pytest.mark.parametrize("project", OURS)
def test_every_control_names_an_object_and_every_result_a_control(
    tmp_path: Path, project: str
) -> None:
    export(make_label_studio_study(), tmp_path / "out")
    text = (tmp_path / "out" / project / "config.xml").read_text(encoding="utf-8")
    view = ET.fromstring(text)  # noqa: S314  written a moment ago
    objects = {e.get("name") for e in view.iter("Text")}
    controls = {e.get("name"): e.get("toName") for e in view.iter() if e.get("toName")}
    assert set(controls.values()) <= objects
    shown = {str(e.get("value"))[1:] for e in view.iter() if str(e.get("value")).startswith("$")}
    found = 0
    for task in tasks(tmp_path / "out", project):
        assert shown <= task["data"].keys()
        for entry in (*task["annotations"], *task["predictions"]):
            for result in entry["result"]:
                found += 1
                assert controls[result["from_name"]] == result["to_name"]
    assert found
    if project == "whole-extraction":
        labels = {e.get("value") for e in view.iter("Label")}
        template = template_of(Study.objects.get())
        assert {template.key_for(str(label)) for label in labels} == set(template.item_keys)


def test_sides_are_shown_in_one_order_and_answers_are_said_of_it(tmp_path: Path) -> None:
    export(make_label_studio_study(), tmp_path / "out")
    by_case = {t["meta"]["gavel"]["case"]: t for t in tasks(tmp_path / "out", "pairs-single")}
    task = by_case["1001"]
    first = task["meta"]["gavel"]["shown_as_a"]
    model, reference = "May 1 \U0001f600", "1 May"
    texts = (task["data"]["a"], task["data"]["b"])
    assert texts == ((model, reference) if first == "model" else (reference, model))
    said = "A says all of B and more" if first == "model" else "B says all of A and more"
    (one, other) = task["annotations"]
    assert one["result"][0]["value"] == {"choices": [said]}
    assert other["result"][0]["value"] == {"choices": ["A and B differ"]}
    assert [a["gavel"]["shown_as_a"] for a in (one, other)] == ["model", "reference"]
    assert [a["gavel"]["annotator"] for a in (one, other)] == ["annotator-1", "annotator-2"]
    # An imported order is kept.
    assert by_case["1003"]["data"]["a"] == "answered"
    assert by_case["1003"]["annotations"] == []


def test_a_matching_is_said_with_the_numbers_on_the_page(tmp_path: Path) -> None:
    export(make_label_studio_study(), tmp_path / "out")
    (task,) = tasks(tmp_path / "out", "pairs-list")
    # Drawn from the seed of the study: the reference is A, so B1 to B3 are the model's.
    assert task["meta"]["gavel"]["shown_as_a"] == "reference"
    assert task["data"]["a"] == "A1  r1\nA2  r2\nr2"
    chosen = {r["from_name"]: r["value"]["choices"] for r in task["annotations"][0]["result"]}
    # Model 0 and 2 match reference 1; model 1 and reference 0 match nothing.
    assert chosen == {"pairs": ["A2 = B1", "A2 = B3"], "only_a": ["A1"], "only_b": ["B2"]}
    assert len(task["data"]["pairs"]) == 6


def test_ratings_reasons_and_seeds_are_there(tmp_path: Path) -> None:
    export(make_label_studio_study(), tmp_path / "out")
    (task,) = tasks(tmp_path / "out", "style-style")
    results = task["annotations"][0]["result"]
    ratings = {r["from_name"]: r["value"]["rating"] for r in results if r["type"] == "rating"}
    assert ratings == {aspect: level for level, aspect in enumerate(ASPECTS, 1)}
    assert [r["value"] for r in results if r["type"] == "textarea"] == [{"text": ["long words"]}]
    (task,) = tasks(tmp_path / "out", "whole-extraction")
    (seeds,) = task["predictions"]
    assert seeds["model_version"] == "model-one"
    value = seeds["result"][0]["value"]
    assert TEXT[value["start"] : value["end"]] == value["text"] == "April 7"


def test_drafts_have_no_place_and_skipped_ones_come_when_asked_for(tmp_path: Path) -> None:
    study = make_label_studio_study()
    with pytest.raises(InvalidInput, match="no place for drafts"):
        export(study, tmp_path / "out", "drafts")
    export(study, tmp_path / "out", "skipped")
    cancelled = [
        a["gavel"]["annotator"]
        for task in tasks(tmp_path / "out", "pairs-single")
        for a in task["annotations"]
        if a["was_cancelled"]
    ]
    assert cancelled == ["annotator-1"]


def test_our_folder_comes_back_as_it_was(tmp_path: Path) -> None:
    study = make_label_studio_study()
    export(study, tmp_path / "out", "skipped")
    other = create_study("other")
    report = import_label_studio([tmp_path / "out"], other)
    assert report.totals["problems"] == 0
    assert said(other) == said(study)
    again = import_label_studio([tmp_path / "out"], other)
    assert again.totals["created"] == 0
    assert report.totals["created"] == 6 + 1 + 1  # tasks, the summary, the checklist
    (checklist,) = Checklist.objects.filter(case__study=other)
    assert (
        items_of(checklist)
        == extraction.Answer.model_validate({"items": ITEMS}).model_dump(mode="json")["items"]
    )


def test_what_label_studio_exports_of_our_projects_comes_back_as_it_was() -> None:
    study = make_label_studio_study()
    other = create_study("other")
    report = load(other, *OURS)
    assert report.totals["problems"] == 0
    assert said(other) == said(study)
    (checklist,) = Checklist.objects.filter(case__study=other)
    assert items_of(checklist) == ITEMS
    assert (checklist.producer_kind, checklist.producer) == (
        "annotator", "label-studio annotator-1",
    )  # fmt: skip
    assert report.totals["repairs"] == {
        "left_out: answers to comparison tasks": 3,
        "left_out: cancelled to comparison tasks": 1,
        "left_out: answers to style tasks": 1,
        "left_out: predictions named by number alone": 1,
    }
    assert load(other, *OURS).totals["created"] == 0


def test_a_comparison_is_linked_to_its_summary_where_that_is_stored(tmp_path: Path) -> None:
    study = make_label_studio_study()
    summary = Summary.objects.get()
    Task.objects.filter(case=summary.case, task_set__key="pairs").update(summary=summary)
    export(study, tmp_path / "out")
    other = create_study("other")
    # In the order of the names pairs come first, and the summary is not yet there.
    first = import_label_studio([tmp_path / "out"], create_study("first"))
    assert first.totals["found"]["summaries_named_and_not_here"] == 1  # type: ignore[index]
    folders = [tmp_path / "out" / name for name in ("whole-extraction", "pairs-single")]
    report = import_label_studio(folders, other)
    assert "summaries_named_and_not_here" not in report.totals["found"]  # type: ignore[operator]
    linked = Task.objects.get(task_set__study=other, summary__isnull=False, item_key__gt="")
    assert (linked.summary and linked.summary.producer) == "model-one"


def test_what_was_marked_there_comes_in_as_a_checklist(study: Study) -> None:
    load(study, "whole-extraction-annotated")
    mine = Checklist.objects.get(producer="label-studio annotator-1")
    theirs = Checklist.objects.get(producer="label-studio 1")
    assert items_of(mine) == ITEMS
    evidence = Evidence.objects.get(value__item__checklist=theirs)
    assert (evidence.quote, evidence.start, evidence.end) == ("Dismissed.", 80, 90)
    assert theirs.summary is not None
    assert theirs.summary.text[evidence.start : evidence.end] == "Dismissed."


def test_what_the_page_of_label_studio_marked_counts_code_points(study: Study) -> None:
    report = load(study, "whole-extraction-marked-on-its-page")
    theirs = Checklist.objects.get(producer="label-studio 1")
    spans = Evidence.objects.filter(value__item__checklist=theirs).order_by("end")
    assert [(s.quote, s.start, s.end) for s in spans] == [
        ("Dismissed", 80, 89), ("Dismissed.", 80, 90),
    ]  # fmt: skip
    assert "offsets_in_utf16_units" not in report.files[0].repairs


def test_a_project_of_others_with_spans_maps_as_far_as_it_can(study: Study) -> None:
    report = load(study, "foreign-spans")
    (task,) = Task.objects.all()
    assert task.task_set.key == "label-studio-extraction"
    assert task.summary is not None
    assert (task.summary.producer, task.case.external_id) == (
        "label-studio", f"label-studio {task.metadata['label_studio_task']}",
    )  # fmt: skip
    assert task.metadata["columns"] == {"docket": "7"}
    (checklist,) = Checklist.objects.all()
    (evidence,) = Evidence.objects.all()
    assert (evidence.quote, evidence.value.item.item_key) == ("April 7", "filing_date")
    assert task.summary.text[evidence.start : evidence.end] == "April 7"
    assert checklist.items.count() == 1  # nobody looked for the others
    assert report.files[0].repairs == {
        "case_is_the_task": 1, "left_out: label Colour": 1, "left_out: choices mood": 1,
    }  # fmt: skip


def test_a_project_of_others_with_choices_becomes_comparisons(study: Study) -> None:
    report = load(study, "foreign-choices", task_set_key="theirs")
    (task,) = Task.objects.all()
    assert (task.task_set.key, task.item_key, task.case.external_id) == (
        "theirs", "filing_date", "77",
    )  # fmt: skip
    assert (task.content["model"], task.content["reference"]) == (["April 7"], ["7 April 2019"])
    assert report.files[0].repairs == {"left_out: answers to comparison tasks": 1}


def test_a_set_of_another_kind_is_a_problem_of_the_file(study: Study) -> None:
    make_task_set(study, "pairs", "style")
    report = load(study, "pairs-single", "style-style")
    assert [file.status.value for file in report.files] == ["skipped", "read"]
    assert "a task set called pairs of another kind" in str(report.files[0].problems[0])


def test_a_file_that_somebody_names_is_read_whatever_it_is_called(
    study: Study, tmp_path: Path
) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes((KEPT / "pairs-single.json").read_bytes())
    assert import_label_studio([path], study).totals["files"] == 1
    assert Task.objects.exists()


def test_a_rehearsal_stores_nothing(study: Study) -> None:
    assert load(study, *OURS, dry_run=True).totals["created"] == 8
    assert not Task.objects.exists()
    assert not Summary.objects.exists()


def test_a_second_annotation_of_one_person_has_a_number(study: Study, tmp_path: Path) -> None:
    task = json.loads((KEPT / "foreign-spans.json").read_bytes())[0]
    task["annotations"] *= 2
    (tmp_path / "t.json").write_text(json.dumps([task]), encoding="utf-8")
    import_label_studio([tmp_path], study)
    methods = Checklist.objects.order_by("method").values_list("method", flat=True)
    assert list(methods) == ["", "2"]


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_offsets_are_code_points_there_and_back(
    study: Study, tmp_path: Path, text: str, quote: str, start: int, end: int
) -> None:
    summary = make_summary(make_case(study), text)
    task = make_task(make_task_set(study, "whole", "extraction"), summary, {"seed_source": ""})
    person = make_member(study, "annotator", "ann")
    give(make_assignment(task, person), extraction_payload("filing_date", quote, start, end))
    export(study, tmp_path / "out")
    value = tasks(tmp_path / "out", "whole-extraction")[0]["annotations"][0]["result"][0]["value"]
    assert (value["start"], value["end"], value["text"]) == (start, end, quote)
    import_label_studio([tmp_path / "out"], create_study("other"))
    evidence = Evidence.objects.get(value__item__checklist__producer="label-studio annotator-1")
    assert (evidence.start, evidence.end, evidence.quote) == (start, end, quote)


@pytest.mark.parametrize("name", sorted(path.name for path in KEPT.glob("*.json")))
def test_an_upload_is_recognised(name: str) -> None:
    assert recognise(name, (KEPT / name).read_bytes()[:2000]) == "label-studio"
