"""The paragraph tool's shape: untouched it comes out as it came in; answers stand in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.errors import InvalidInput, Refused
from annotation.importing.thresh import import_thresh
from annotation.kinds.extraction import Answer, Content, ItemState, ItemValues, Seed, Value
from annotation.kinds.spans import Span
from annotation.models import Study, Task
from annotation.records.report import FileReport
from annotation.records.thresh_file import parse_thresh
from evaluation.exporting.services import THRESH, Wanted, export_study
from evaluation.exporting.thresh import GivenAnswer, TaskParagraph, paragraph_list
from evaluation.exporting.verifying import verify
from tests.annotation.records.thresh_files import TARGET, sound, worked_on
from tests.evaluation.exporting.studies import GOLDEN, make_task
from tests.factories import (
    make_answer,
    make_assignment,
    make_case,
    make_study,
    make_summary,
    make_task_set,
)

pytestmark = pytest.mark.django_db


def import_data(study: Study, folder: Path, data: Any, **options: Any) -> None:
    path = folder / "46310.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    report = import_thresh([path], study, **options)
    assert report.totals["problems"] == 0, report.to_text()


def exported(study: Study, out: Path, *include: str, **options: Any) -> dict[str, Any]:
    export_study(study, Wanted(THRESH, None, frozenset(include)), out, **options)
    assert verify(out) == []
    return {
        path.relative_to(out).as_posix(): json.loads(path.read_bytes())
        for path in sorted(out.rglob("*.json"))
        if path.name != "manifest.json"
    }


def without_own_id(paragraphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in each.items() if k != "_thresh_id"} for each in paragraphs]


def as_written(value: Any) -> str:
    """With the order of keys, which equality of dictionaries passes over."""
    return json.dumps(value)


def test_what_nobody_touched_comes_out_as_it_came_in(study: Study, tmp_path: Path) -> None:
    import_data(study, tmp_path, sound())
    files = exported(study, tmp_path / "out")
    assert list(files) == ["46310.json"]
    written = files["46310.json"]
    assert [each["_thresh_id"] for each in written] == [1, 2]
    assert as_written(without_own_id(written)) == as_written(sound())


def test_every_quirk_comes_out_as_it_came_in(study: Study, tmp_path: Path) -> None:
    data = sound()
    values = data[0]["edits"]
    values[0]["annotation"] |= {"explanation": " [Yes].\nNo ", "spans_paragraphs": [7]}
    values[0] |= {"output_idx": [[8, 12], [0, 5], [0, 5], [3, 9]], "id": 4, "votes": 2}
    values.append({**values[1], "output_idx": []})
    data[1] |= {"source": "a source", "colour": {"z": 1, "a": 2}}
    data[1]["metadata"] |= {"paragraph_text_preview": "other", "zeal": 1}
    import_data(study, tmp_path, data)
    written = exported(study, tmp_path / "out")["46310.json"]
    assert without_own_id(written) == data


def test_what_people_did_in_the_tool_comes_out_as_it_came_in(study: Study, tmp_path: Path) -> None:
    import_data(study, tmp_path, worked_on())
    (written,) = exported(study, tmp_path / "out").values()
    assert as_written(written) == as_written(worked_on())


def test_an_export_can_be_imported_as_a_folder(study: Study, tmp_path: Path) -> None:
    import_data(study, tmp_path, sound())
    exported(study, tmp_path / "out")
    other = make_study("other")
    report = import_thresh([tmp_path / "out"], other)
    assert [Path(file.path).name for file in report.files] == ["46310.json"]
    assert (report.totals["created"], report.totals["problems"]) == (6, 0)
    again = exported(other, tmp_path / "again")
    assert again["46310.json"] == exported(study, tmp_path / "more")["46310.json"]


def test_the_order_of_keys_does_not_come_from_the_database(study: Study, tmp_path: Path) -> None:
    import_data(study, tmp_path, sound())
    for task in Task.objects.all():
        # PostgreSQL gives the keys of a JSON column back in an order of its own.
        kept = {k: dict(sorted(v.items())) if isinstance(v, dict) else v
                for k, v in sorted(task.metadata["thresh"].items())}  # fmt: skip
        kept["edits"] = [dict(sorted(each.items())) for each in kept["edits"]]
        task.metadata = {"thresh": kept}
        task.save()
    (written,) = exported(study, tmp_path / "out").values()
    assert as_written(without_own_id(written)) == as_written(sound())


def span(quote: str) -> Span:
    start = TARGET.index(quote)
    return Span(start=start, end=start + len(quote), quote=quote)


def answer_of(*values: tuple[str, str, list[Span]]) -> Answer:
    items: dict[str, list[Value]] = {}
    for key, text, evidence in values:
        items.setdefault(key, []).append(Value(text=text, evidence=evidence))
    return Answer(
        items={k: ItemValues(state=ItemState.VALUES, values=found) for k, found in items.items()}
    )


def test_an_answer_stands_in_the_place_of_the_seeds(
    study: Study, annotator: Any, tmp_path: Path
) -> None:
    import_data(study, tmp_path, sound())
    task = Task.objects.get(position=1)
    given = answer_of(
        # Reworded; other evidence; and two that are new, one of an item with seeds.
        ("filing_date", "1 May 2020", [span("May 1, 2020")]),
        ("court_rulings", "A ruling", [span("Woodcock ruled")]),
        ("court_rulings", "Another", [span("ruled on R&D")]),
        ("judge_name", "Woodcock", [span("Woodcock")]),
    )
    assignment = make_assignment(task, annotator)
    make_answer(assignment, given.model_dump(mode="json"), comment="sure?")
    files = exported(study, tmp_path / "out")
    assert list(files) == ["46310.json", "annotations/annotator-1/46310.json"]
    assert without_own_id(files["46310.json"]) == sound()
    first, second = files["annotations/annotator-1/46310.json"]
    assert without_own_id([second]) == sound()[1:]
    date, ruling, another, judge = first["edits"]
    assert date == {
        **sound()[0]["edits"][0],
        "annotation": {
            "explanation": "1 May 2020", "checklist_item": "Filing Date", "spans_paragraphs": None,
        },
    }  # fmt: skip
    assert ruling["annotation"]["spans_paragraphs"] is None
    assert ruling["output_idx"] == [[span("Woodcock ruled").start, span("Woodcock ruled").end]]
    assert (ruling["id"], another["id"], judge["id"]) == (1, 2, 1)
    assert another["annotation"] == {"explanation": "Another"}
    assert (first["comment"], first["_gavel"]["annotator"]) == ("sure?", "annotator-1")
    assert first["_gavel"]["state"] == "submitted"
    assert first["_gavel"]["submitted_at"].endswith("Z")
    record = parse_thresh(
        files["annotations/annotator-1/46310.json"], lambda n: "x", FileReport("")
    )
    assert record is not None
    assert [edit.is_added for edit in record.paragraphs[0].edits] == [False, False, True, True]


def test_a_removed_value_is_gone_and_its_number_is_not_given_again() -> None:
    content = Content(
        seeds=[Seed(item_key="trials", text=text) for text in ("one", "two", "three")]
    )
    given = GivenAnswer(answer_of(("trials", "two", []), ("trials", "new", [])), {})
    (written,) = paragraph_list(
        [TaskParagraph("t", "1", content)], TARGET, {"trials": "Trials"}, {"t": given}
    )
    found: Any = written["edits"]
    assert [(each["id"], each["annotation"]["explanation"]) for each in found] == [
        (1, "two"), (3, "new"),
    ]  # fmt: skip
    assert found[0]["annotation"]["checklist_item"] == "Trials"


def test_a_task_about_a_whole_summary_is_one_paragraph(study: Study, tmp_path: Path) -> None:
    summary = make_summary(make_case(study), "x" * 120, "model-one")
    make_task(make_task_set(study, "whole", "extraction"), summary, {"seed_source": "m"})
    files = exported(study, tmp_path / "out")
    assert list(files) == ["1001_model-one.json"]
    ((paragraph),) = files["1001_model-one.json"]
    assert paragraph["metadata"] == {
        "case_id": "1001", "paragraph_num": 0, "total_paragraphs": 1, "model": "m",
        "paragraph_text_preview": "x" * 100 + "...",
    }  # fmt: skip
    assert paragraph["target_paragraph_indices"] == [0, 120]


def test_skipped_and_flagged_are_left_out_and_counted(
    study: Study, annotator: Any, tmp_path: Path
) -> None:
    import_data(study, tmp_path, sound())
    first, second = Task.objects.order_by("position")
    make_answer(make_assignment(first, annotator))
    payload = answer_of(("trials", "x", [])).model_dump(mode="json")
    make_answer(make_assignment(second, annotator), payload, flagged=True)
    assert list(exported(study, tmp_path / "plain")) == ["46310.json"]
    files = exported(study, tmp_path / "more", "skipped", "flagged")
    one, two = files["annotations/annotator-1/46310.json"]
    assert (one["_gavel"]["state"], without_own_id([one])[0]["edits"]) == (
        "skipped",
        sound()[0]["edits"],
    )
    assert (two["_gavel"]["flagged"], len(two["edits"])) == (True, 1)
    with pytest.raises(InvalidInput, match="no place for drafts and earlier versions"):
        exported(study, tmp_path / "drafts", "drafts")


def test_a_quote_that_the_text_does_not_say_is_not_written(study: Study, tmp_path: Path) -> None:
    import_data(study, tmp_path, sound())
    task = Task.objects.get(position=2)
    task.content["seeds"][0]["evidence"][0] |= {"start": 0, "end": 3}
    task.save()
    with pytest.raises(Refused, match="task thresh / 46310_p1: seed 1: the quote at 0-3 is not"):
        exported(study, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_study_without_extraction_tasks_has_none_of_these_files(
    study: Study, tmp_path: Path
) -> None:
    with pytest.raises(Refused, match="no tasks of checklist extraction"):
        exported(study, tmp_path / "out")
    task_set = make_task_set(study, "pairs")
    with pytest.raises(InvalidInput, match="of checklist extraction alone"):
        export_study(study, Wanted(THRESH, task_set), tmp_path / "out")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ((0, "target_paragraph_indices", 1), 3, "target_paragraph_indices: the summary says"),
        ((1, "target"), "other", "is not the summary of the first paragraph"),
        ((0, "edits", 0, "output_idx", 0, 1), 10**6, "is no part of the summary"),
        ((0, "edits", 0, "annotation"), None, "must be an object"),
    ],
)
def test_a_place_that_was_changed_is_found(
    study: Study, tmp_path: Path, path: tuple[Any, ...], value: Any, says: str
) -> None:
    import_data(study, tmp_path, sound())
    data = exported(study, tmp_path / "out")["46310.json"]
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    (tmp_path / "out" / "46310.json").write_text(json.dumps(data), encoding="utf-8")
    problems = verify(tmp_path / "out")
    assert any(says in problem for problem in problems)
    assert any("its hash is not the one in the manifest" in problem for problem in problems)


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_golden_offsets(
    study: Study, tmp_path: Path, text: str, quote: str, start: int, end: int
) -> None:
    own = {"target": text, "target_paragraph": text, "target_paragraph_indices": [0, len(text)]}
    data = [{**sound()[0], **own}]
    data[0]["metadata"] |= {"total_paragraphs": 1, "paragraph_text_preview": text}
    del data[0]["edits"][1]
    data[0]["edits"][0]["output_idx"] = [[start, end]]
    import_data(study, tmp_path, data)
    seed = Content.model_validate(Task.objects.get().content).seeds[0]
    assert (seed.evidence[0].start, seed.evidence[0].end, seed.evidence[0].quote) == (
        start, end, quote,
    )  # fmt: skip
    ((written,),) = exported(study, tmp_path / "out").values()
    assert written["edits"][0]["output_idx"] == [[start, end]]
    assert written["target"][start:end] == quote


@pytest.mark.release
def test_the_released_files_come_out_as_they_came_in(
    study: Study, release_dir: Path, tmp_path: Path
) -> None:
    import_thresh([release_dir / "thresh"], study)
    files = exported(study, tmp_path / "out")
    sources = sorted((release_dir / "thresh").glob("*.json"))
    assert sorted(files) == [path.name for path in sources]
    assert len(files) == 20
    for path in sources:
        source = json.loads(path.read_bytes())
        written = files[path.name]
        assert [each["_thresh_id"] for each in written] == list(range(1, len(source) + 1))
        assert as_written(without_own_id(written)) == as_written(source)
