"""A checklist by hand, and what an annotator's edits make of it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from annotation.errors import InvalidInput
from annotation.kinds.extraction import ItemState
from evaluation.demo.checklists import build, edited, evidence
from evaluation.demo.sources import Checklist, Edit, NthQuote, Value

TEXT = "Judge Alma Quist heard the case. The case was settled, and the case was closed."
KEYS = ("judge", "outcome", "monitor")
BASE = Checklist(
    items={
        "judge": [Value(text="Alma Quist", evidence=["Judge Alma Quist"])],
        "outcome": [
            Value(text="settled", evidence=["The case was settled"]),
            Value(text="closed", evidence=["the case was closed"]),
        ],
    }
)


def test_every_item_is_there_with_its_state_and_located_evidence() -> None:
    answer = build(BASE, TEXT, KEYS, {})
    assert list(answer.items) == list(KEYS)
    assert answer.items["monitor"].state is ItemState.ABSENT
    assert answer.items["judge"].state is ItemState.VALUES
    assert [span.quote for span in evidence(answer)] == [
        "Judge Alma Quist",
        "The case was settled",
        "the case was closed",
    ]
    assert all(span.matches(TEXT) for span in evidence(answer))


def test_evidence_stands_in_the_order_of_the_text() -> None:
    quotes = [NthQuote(quote="the case", occurrence=2), "Judge Alma Quist"]
    checklist = Checklist(items={"judge": [Value(text="Quist", evidence=quotes)]})
    [value] = build(checklist, TEXT, KEYS, {}).items["judge"].values
    assert [span.start for span in value.evidence] == [0, TEXT.rindex("the case")]


@pytest.mark.parametrize(
    ("checklist", "states", "message"),
    [
        (Checklist(items={"jury": []}), {}, "Unknown checklist items: jury"),
        (BASE, {"jury": ItemState.ABSENT}, "Unknown checklist items: jury"),
        (BASE, {"judge": ItemState.ABSENT}, "contradicts its values"),
        (
            Checklist(items={"judge": [Value(text="x", evidence=["Judge Quist"])]}),
            {},
            "does not stand in the text",
        ),
    ],
)
def test_a_wrong_checklist_is_refused(
    checklist: Checklist, states: dict[str, ItemState], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        build(checklist, TEXT, KEYS, states)


def test_edits_drop_change_add_and_empty() -> None:
    checklist, states = edited(
        BASE,
        [
            Edit(item="outcome", value=0, drop=True),
            Edit(item="outcome", value=1, text="case closed"),
            Edit(item="judge", value=0, evidence=["Alma Quist"]),
            Edit(item="judge", add=Value(text="Judge", evidence=["Judge"])),
            Edit(item="monitor", state=ItemState.NOT_APPLICABLE),
        ],
    )
    assert [value.text for value in checklist.items["outcome"]] == ["case closed"]
    assert checklist.items["outcome"][0].evidence == ["the case was closed"]
    assert [value.text for value in checklist.items["judge"]] == ["Alma Quist", "Judge"]
    assert checklist.items["judge"][0].evidence == ["Alma Quist"]
    assert states == {"monitor": ItemState.NOT_APPLICABLE}
    answer = build(checklist, TEXT, KEYS, states)
    assert answer.items["monitor"].state is ItemState.NOT_APPLICABLE
    assert len(BASE.items["outcome"]) == 2


def test_an_item_that_lost_all_its_values_is_absent() -> None:
    checklist, states = edited(BASE, [Edit(item="judge", value=0, drop=True)])
    assert build(checklist, TEXT, KEYS, states).items["judge"].state is ItemState.ABSENT


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([Edit(item="judge", value=1, drop=True)], "no value 1"),
        ([Edit(item="monitor", value=0, text="x")], "no value 0"),
        (
            [
                Edit(item="judge", value=0, text="x"),
                Edit(item="judge", value=0, drop=True),
            ],
            "edited twice",
        ),
        (
            [
                Edit(item="judge", add=Value(text="x", evidence=["y"])),
                Edit(item="judge", value=1, drop=True),
            ],
            "no value 1",
        ),
    ],
)
def test_an_edit_of_nothing_is_refused(edits: list[Edit], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        edited(BASE, edits)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"value": 0},
        {"drop": True},
        {"value": 0, "drop": True, "text": "x"},
        {"value": 0, "add": {"text": "x", "evidence": ["y"]}},
        {"state": "values"},
        {"value": -1, "drop": True},
        {"value": 0, "drop": True, "note": "unknown"},
    ],
)
def test_an_edit_says_exactly_one_thing(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Edit.model_validate({"item": "judge", **fields})
