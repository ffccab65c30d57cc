"""Files of Label Studio as they come: units of offsets, odd shapes, damage."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.checklists.loader import load_builtin
from annotation.records.label_studio.reading import TaskRecord, parse_tasks
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import code_points_to_utf16

TEMPLATE = load_builtin("legal-26")
KEPT = Path(__file__).resolve().parents[2] / "data" / "label_studio"
TEXT = "Judge \U0001f600 Woodcock ruled.\nThe \U0001d538 appeal was\nlost."


def read(tasks: Any) -> tuple[list[TaskRecord], FileReport]:
    report = FileReport("t.json")
    return parse_tasks(tasks, TEMPLATE.key_for, report), report


def marked(*regions: tuple[int, int, str | None], text: str = TEXT, **more: Any) -> list[Any]:
    """One task of somebody else, with a region of the item appeals for each of ``regions``."""
    results = [
        {
            "id": str(number), "from_name": "label", "to_name": "text", "type": "labels",
            "value": {"start": start, "end": end, "labels": ["Appeals"]}
            | ({} if quote is None else {"text": quote}),
        }
        for number, (start, end, quote) in enumerate(regions)
    ]  # fmt: skip
    return [
        {"id": 3, "data": {"text": text}, "annotations": [{"id": 9, "result": results, **more}]}
    ]


def quotes(records: list[TaskRecord]) -> list[tuple[int, int, str]]:
    (task,) = records
    assert task.text is not None
    spans = [
        span
        for marks in task.marks
        for item in marks.marked.items.values()
        for value in item.values
        for span in value.evidence
    ]
    assert all(task.text.text[s.start : s.end] == s.quote for s in spans)
    return [(span.start, span.end, span.quote) for span in spans]


def test_code_points_are_taken_as_they_are() -> None:
    records, report = read(marked((8, 16, "Woodcock"), (17, 27, "ruled.\\nThe")))
    assert quotes(records) == [(8, 16, "Woodcock"), (17, 27, "ruled.\nThe")]
    assert dict(report.repairs) == {"case_is_the_task": 1}


def test_utf_16_units_are_known_by_the_marked_text_and_counted() -> None:
    # One emoji before the first, an emoji and a letter of two units before the last.
    records, report = read(marked((9, 17, "Woodcock"), (0, 5, "Judge"), (32, 38, "appeal")))
    assert quotes(records) == [(8, 16, "Woodcock"), (0, 5, "Judge"), (30, 36, "appeal")]
    assert report.repairs["offsets_in_utf16_units"] == 3


def test_line_ends_of_two_characters_may_have_been_counted_as_two() -> None:
    text = "Judge Woodcock ruled.\r\nThe appeal was\r\nlost."
    start = text.index("lost")
    records, report = read(marked((start, start + 4, "lost"), text=text))
    assert quotes(records) == [(start - 2, start + 2, "lost")]
    assert report.repairs["offsets_with_both_characters_of_line_ends"] == 1
    records, report = read(marked((start - 2, start + 2, "lost"), text=text))
    assert quotes(records) == [(start - 2, start + 2, "lost")]
    assert set(report.repairs) == {"case_is_the_task", "line_ends"}


@pytest.mark.parametrize(
    "region",
    [(0, 5, "Woodcock"), (8, 8, ""), (900, 905, "Judge"), (3, 1, None), (0, 900, None)],
)
def test_a_region_that_is_not_what_the_text_says_is_a_problem(region: Any) -> None:
    records, report = read(marked(region))
    assert records == []
    assert "is not what the text says there" in str(report.problems[0])
    assert report.problems[0].place == "[0].annotations[0].result[0]"


def test_a_region_without_its_text_is_taken_and_counted() -> None:
    records, report = read(marked((8, 16, None)))
    assert quotes(records) == [(8, 16, "Woodcock")]
    assert report.repairs["marked_text_missing"] == 1


@pytest.mark.parametrize(
    ("fields", "who"),
    [
        ({"completed_by": 7}, "label-studio 7"),
        ({"completed_by": {"id": 7, "email": "ann@example.org"}}, "label-studio 7"),
        ({"completed_by": "ann@example.org"}, "label-studio unknown"),
        ({"completed_by": 7, "updated_by": 8}, "label-studio 8"),
        ({}, "label-studio unknown"),
    ],
)
def test_people_are_called_by_number_and_never_by_address(fields: Any, who: str) -> None:
    ((task,), _) = read(marked((0, 5, "Judge"), **fields))
    assert [marks.who for marks in task.marks] == [who]


def test_cancelled_ones_drafts_and_predictions_are_not_lost_silently() -> None:
    tasks = marked((0, 5, "Judge"), was_cancelled=True)
    tasks[0] |= {"drafts": [{}, {}], "predictions": [4, {"model_version": "m", "result": []}]}
    ((task,), report) = read(tasks)
    assert [(marks.who, marks.is_person) for marks in task.marks] == [("label-studio m", False)]
    assert {k: n for k, n in report.repairs.items() if k.startswith("left_out")} == {
        "left_out: cancelled annotations": 1,
        "left_out: drafts": 2,
        "left_out: predictions named by number alone": 1,
    }


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], "holds no tasks"),
        ([7], "must be an object"),
        ([{"annotation_id": 1, "annotator": 2, "text": "x"}], "is of the short form"),
        ([{"data": {"left": "x", "right": "y"}}], "Rename its fields (left, right)"),
        ([{"data": {"text": " "}}], "Rename its fields"),
        ([{"data": {"model": "a", "reference": "b", "case": "1"}}], "task 1, item: is blank"),
        (
            [{"data": {"model": "a", "reference": "b", "case": "1", "item": "Hue"}}],
            "is no item of this study",
        ),
        ([{"id": 1, "data": {"text": "x"}}] * 2, "is the same task as [0]"),
        ([{"data": {"text": "x"}, "meta": {"gavel": {"kind": "residual"}}}], "and no kind that"),
    ],
)
def test_what_cannot_be_a_task_is_a_problem(tasks: Any, words: str) -> None:
    _, report = read(tasks)
    assert words in str(report.problems[0])


@pytest.mark.parametrize("data", ["x", 7, None, {"tasks": []}])
def test_what_is_no_list_of_tasks_is_refused(data: Any) -> None:
    with pytest.raises(UnreadableFile, match="no list of Label Studio tasks"):
        read(data)


def test_a_task_of_ours_that_was_changed_there_is_a_problem() -> None:
    tasks = json.loads((KEPT / "pairs-single.json").read_bytes())
    tasks[0]["data"]["a"] += "!"
    _, report = read(tasks)
    assert "One of the two was changed" in str(report.problems[0])


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40), st.data())
def test_every_span_comes_back_in_code_points(text: str, data: st.DataObject) -> None:
    text = "x" + text.replace("\r", "\n").replace("\x00", "?").lstrip("\ufeff")
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    for place in (int, lambda offset: code_points_to_utf16(text, offset)):
        records, report = read(marked((place(start), place(end), quote), text=text))
        assert report.problems == []
        # Where both units give the same words, the one of today's Label Studio is meant.
        assert quotes(records)[0][2] == quote


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 99) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "text", "meta", "gavel", "kind", "annotations", "result", "id"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=3))
def test_any_json_gives_tasks_or_problems(tasks: Any) -> None:
    records, report = read(tasks)
    assert len(records) + len(report.problems) >= 1


@pytest.mark.parametrize("name", sorted(path.name for path in KEPT.glob("*.json")))
def test_a_file_with_any_part_replaced_gives_a_report(name: str) -> None:
    original = json.loads((KEPT / name).read_bytes())
    draw = random.Random(name)
    for _ in range(150):
        tasks = copy.deepcopy(original)
        node, key = draw.choice(list(_places(tasks)))
        node[key] = draw.choice([None, True, -1, 10**9, "", "x", [], {}, [[]], {"start": 1}])
        read(tasks)


def _places(value: Any) -> Any:
    children = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list)
        else ()
    )  # fmt: skip
    for key, child in children:
        yield value, key
        yield from _places(child)
