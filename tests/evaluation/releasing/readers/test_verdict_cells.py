"""Each quirk of a cell by hand: what is read, in which order, and what is counted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.comparison import ListAnswer, Relation, Side, SingleAnswer
from evaluation.releasing.readers.orientation import DOUBTS, Doubt, Lengths, Orientation
from evaluation.releasing.readers.verdict_cells import (
    CellReading,
    claimed_reference_length,
    counted,
    read_cell,
)

KNOWN, NOT_NEEDED = Orientation.KNOWN, Orientation.NOT_NEEDED
RECOVERED, UNKNOWN = Orientation.RECOVERED, Orientation.UNKNOWN


def own(pairs: list[tuple[Any, Any]], only_model: Any = (), only_reference: Any = ()) -> Any:
    return {
        "common": [{"reference_index": r, "model_index": m} for m, r in pairs],
        "only_in_model": list(only_model),
        "only_in_reference": list(only_reference),
    }


def shown(pairs: list[tuple[Any, Any]], only_a: Any = (), only_b: Any = ()) -> Any:
    return {
        "common": [{"A_index": a, "B_index": b} for a, b in pairs],
        "only_in_A": list(only_a),
        "only_in_B": list(only_b),
    }


def reply(cell: object) -> str:
    return (
        f"**Reasoning:**\n\nOne is shared.\n\n**Final Answer:**\n\n```json\n{json.dumps(cell)}\n```"
    )


def answer(pairs: list[tuple[int, int]], only_model: list[int], only_reference: list[int]) -> Any:
    return ListAnswer(pairs=pairs, only_model=only_model, only_reference=only_reference)


@pytest.mark.parametrize(
    ("words", "relation"),
    [
        ("model equals reference", Relation.EQUAL),
        ("reference equals model", Relation.EQUAL),
        ("model contains reference", Relation.MODEL_CONTAINS),
        ("reference contains model", Relation.REFERENCE_CONTAINS),
        ("model and reference are different", Relation.DIFFERENT),
        ("reference and model are different", Relation.DIFFERENT),
    ],
)
def test_words_about_model_and_reference_are_known(words: str, relation: Relation) -> None:
    reading = read_cell(words, Lengths(1, 1))
    assert (reading.orientation, reading.answer) == (KNOWN, SingleAnswer(relation=relation))
    assert (reading.shown, reading.repairs, reading.is_read) == (None, {}, True)


@pytest.mark.parametrize("words", ["A equals B", "B equals A", "equal"])
def test_equal_needs_no_order(words: str) -> None:
    reading = read_cell(words, Lengths(1, 1))
    assert (reading.orientation, reading.answer) == (NOT_NEEDED, SingleAnswer(relation="equal"))
    assert reading.shown == {"form": "single", "relation": "equal"}


@pytest.mark.parametrize("words", ["A and B are different", "B and A are different"])
def test_different_needs_no_order(words: str) -> None:
    reading = read_cell(words, Lengths())
    assert (reading.orientation, reading.answer) == (NOT_NEEDED, SingleAnswer(relation="different"))


@pytest.mark.parametrize(
    ("words", "relation"), [("A contains B", "a_contains_b"), ("B contains A", "b_contains_a")]
)
@pytest.mark.parametrize("lengths", [Lengths(), Lengths(1, 1), Lengths(1, 2)])
def test_a_containment_of_a_and_b_is_never_guessed(
    words: str, relation: str, lengths: Lengths
) -> None:
    reading = read_cell(words, lengths)
    assert (reading.is_read, reading.orientation, reading.answer) == (True, UNKNOWN, None)
    assert reading.shown == {"form": "single", "relation": relation}
    assert reading.reason == DOUBTS[Doubt.SINGLE]


def test_a_matching_of_model_and_reference() -> None:
    reading = read_cell(own([(1, 2), (3, 1)], [2], [3]), Lengths(3, 3))
    assert reading == CellReading(True, KNOWN, "list", answer=answer([(0, 1), (2, 0)], [1], [2]))


@pytest.mark.parametrize(
    ("lengths", "first", "expected"),
    [
        (Lengths(2, None), Side.MODEL, answer([(0, 2)], [1], [0, 1])),
        (Lengths(3, None), Side.REFERENCE, answer([(2, 0)], [0, 1], [1])),
        (Lengths(None, 3), Side.MODEL, answer([(0, 2)], [1], [0, 1])),
    ],
)
def test_a_matching_of_a_and_b_is_turned_round_by_the_lengths(
    lengths: Lengths, first: Side, expected: ListAnswer
) -> None:
    reading = read_cell(shown([(1, 3)], [2], [1, 2]), lengths)
    assert (reading.orientation, reading.first, reading.answer) == (RECOVERED, first, expected)
    assert reading.shown == {"form": "list", "pairs": [[0, 2]], "only_a": [1], "only_b": [0, 1]}


@pytest.mark.parametrize(
    ("lengths", "doubt"),
    [
        (Lengths(), Doubt.NO_LENGTHS),
        (Lengths(2, 2), Doubt.BOTH_FIT),
        (Lengths(5, None), Doubt.NEITHER_FITS),
    ],
)
def test_a_matching_that_fits_both_orders_or_neither_stays_one_of_a_and_b(
    lengths: Lengths, doubt: Doubt
) -> None:
    reading = read_cell(shown([(1, 2)], [2], [1]), lengths)
    assert (reading.is_read, reading.orientation, reading.answer) == (True, UNKNOWN, None)
    assert reading.shown == {"form": "list", "pairs": [[0, 1]], "only_a": [1], "only_b": [0]}
    assert (reading.first, reading.reason) == (None, DOUBTS[doubt])


@pytest.mark.parametrize(
    ("cell", "lengths", "expected"),
    [
        (shown([(1, 1)], [2], [2]), Lengths(2, 2), answer([(0, 0)], [1], [1])),
        (shown([(1, 2), (2, 1)]), Lengths(2, 2), answer([(0, 1), (1, 0)], [], [])),
        (shown([], [1, 2], [1, 2]), Lengths(2, 2), answer([], [0, 1], [0, 1])),
        ({"common": []}, Lengths(1, 2), answer([], [0], [0, 1])),
    ],
)
def test_pairs_that_mirror_each_other_need_no_order(
    cell: object, lengths: Lengths, expected: ListAnswer
) -> None:
    reading = read_cell(cell, lengths)
    assert (reading.orientation, reading.answer) == (NOT_NEEDED, expected)


@pytest.mark.parametrize(
    ("cell", "lengths", "expected", "repairs"),
    [
        # both matched and unmatched
        (own([(1, 1)], [1, 2], []), Lengths(2, 1), answer([(0, 0)], [1], []),
         {"matched_and_only": 1}),
        # twice
        (own([(1, 1), (1, 1)], [2], []), Lengths(2, 1), answer([(0, 0)], [1], []),
         {"duplicate_pair": 1}),
        (own([(1, 1)], [2, 2], []), Lengths(2, 1), answer([(0, 0)], [1], []),
         {"duplicate_only": 1}),
        # a list in place of an index
        (own([([1, 2], 1)]), Lengths(2, 1), answer([(0, 0), (1, 0)], [], []),
         {"index_list_expanded": 1}),
        # null
        (own([(None, 1), (1, 2)], [2]), Lengths(2, 2), answer([(0, 1)], [1], [0]),
         {"null_index": 1, "unmentioned": 1}),
        # 0: a whole side, or a stray
        (own([(0, 1)], [1], [2]), Lengths(2, 2), answer([(0, 0)], [1], [1]),
         {"zero_based_side": 1}),
        (own([(1, 1)], [0, 2], []), Lengths(2, 1), answer([(0, 0)], [1], []), {"stray_zero": 1}),
        (own([(0, 1)], [1]), Lengths(None, 1), answer([], [0], [0]),
         {"stray_zero": 1, "unmentioned": 1}),
        # negative
        (own([(-1, 1), (1, 2)], [], []), Lengths(1, 2), answer([(0, 1)], [], [0]),
         {"negative_index": 1, "unmentioned": 1}),
        # beyond the lists
        (own([(1, 1), (2, 4)], [7], []), Lengths(2, 1), answer([(0, 0)], [1], []),
         {"pair_out_of_range": 1, "only_out_of_range": 1, "unmentioned": 1}),
        # in neither list
        (own([(1, 1)]), Lengths(2, 3), answer([(0, 0)], [1], [1, 2]), {"unmentioned": 3}),
        # the lists are not those of a matching
        (own([], [1], [1]), Lengths(0, 1), answer([], [], [0]),
         {"only_out_of_range": 1, "list_verdict_on_empty_side": 1}),
        (own([], [1], [1]), Lengths(None, 1, model_not_extracted=True), answer([], [0], [0]),
         {"list_verdict_on_empty_side": 1}),
        ("model equals reference", Lengths(1, 2), SingleAnswer(relation="equal"),
         {"single_verdict_on_other_size": 1}),
        ("model equals reference", Lengths(None, 1, model_not_extracted=True),
         SingleAnswer(relation="equal"), {"single_verdict_on_other_size": 1}),
        # another spelling
        ("Model Equals Reference.", Lengths(1, 1), SingleAnswer(relation="equal"),
         {"relation_spelling": 1}),
    ],
)  # fmt: skip
def test_each_quirk_is_mended_and_counted(
    cell: object, lengths: Lengths, expected: object, repairs: dict[str, int]
) -> None:
    reading = read_cell(cell, lengths)
    assert (reading.answer, reading.repairs) == (expected, repairs)
    assert counted(reading)["verdicts_repaired"] == 1


def test_a_raw_reply_with_a_matching() -> None:
    reading = read_cell(reply(shown([(1, 1)], [], [2, 3])), Lengths(1, 3))
    assert (reading.orientation, reading.first) == (RECOVERED, Side.MODEL)
    assert reading.answer == answer([(0, 0)], [], [1, 2])
    assert reading.repairs == {"raw_reply": 1, "code_fence": 1, "surrounding_prose": 1}


def test_the_tail_of_a_reply_is_read_as_one() -> None:
    """So it stands in the release: no beginning, and not the words of its file."""
    tail = f"```json\n{json.dumps(shown([(1, 1)], [2], []))}\n```"
    assert read_cell(tail, Lengths(1, 2)).answer == answer([(0, 0)], [], [1])
    assert read_cell(tail, Lengths()).orientation is UNKNOWN
    assert read_cell(tail, Lengths()).repairs["raw_reply"] == 1


@pytest.mark.parametrize(
    ("verdict", "orientation", "expected"),
    [
        ("A equals B", NOT_NEEDED, SingleAnswer(relation="equal")),
        ("A contains B", UNKNOWN, None),
        ("model contains reference", KNOWN, SingleAnswer(relation="model_contains_reference")),
    ],
)
def test_a_raw_reply_with_a_relation(
    verdict: str, orientation: Orientation, expected: object
) -> None:
    reading = read_cell(f"Both name a day.\n\n**Final Answer:** {verdict}", Lengths(1, 1))
    assert (reading.orientation, reading.answer) == (orientation, expected)
    assert reading.repairs == {"raw_reply": 1, "bare_verdict": 1}


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("A resembles B", "It holds no verdict."),
        ("Final answer: both", "It is none of the verdicts that there are."),
        ("", "It is empty."),
        (
            'The pairs are ```json\n{"common": [{"A_index": 1, "B_ind',
            "It is a reply that breaks off",
        ),
        (None, "It holds no verdict."),
        (7, "It holds no verdict."),
        (True, "It holds no verdict."),
        ([], "It holds no verdict."),
        ({}, "It holds no verdict."),
        ({"common": "none"}, "It holds no verdict."),
        ({"common": [{"A_index": 1}]}, "It holds no verdict."),
        (
            {"common": [{"A_index": 1, "B_index": 1}], "only_in_model": [2]},
            "It speaks of A and B and of model and reference at once.",
        ),
        (
            {"common": [[1, 2]], "only_in_model": [2]},
            "It speaks of A and B and of model and reference at once.",
        ),
    ],
)
def test_what_cannot_be_read_is_not_scored_and_says_why(cell: object, reason: str) -> None:
    reading = read_cell(cell, Lengths(2, 2))
    assert (reading.is_read, reading.answer, reading.shown) == (False, None, None)
    assert reading.reason.startswith(reason)
    assert reading.repairs == {"unreadable_verdict": 1}
    assert counted(reading) == {"verdicts_not_scored": 1}
    assert claimed_reference_length(cell) is None


@pytest.mark.parametrize(
    ("cell", "kinds"),
    [
        (own([(1, 1), (1, 2)], [2]), {"verdicts_one_to_many": 1}),
        (own([(1, 1), (2, 1)], [], [2]), {"verdicts_many_to_one": 1}),
        (own([(1, 1), (1, 2), (2, 2)]), {"verdicts_many_to_many": 1}),
        (own([(1, 1), (2, 2)]), {}),
        (own([(1, 1)], [1, 2], [2]), {"verdicts_matched_and_only": 1, "verdicts_repaired": 1}),
    ],
)
def test_values_with_several_counterparts_are_counted_and_no_repair(
    cell: object, kinds: dict[str, int]
) -> None:
    found = counted(read_cell(cell, Lengths(2, 2)))
    assert found == {"orientation_known": 1, "verdicts_list": 1, **kinds}


@pytest.mark.parametrize(
    ("cell", "length"),
    [
        ("A contains B", 1),
        ("model equals reference", 1),
        (own([(1, 2)], [2], [1, 3]), 3),
        (own([(1, 2)], [2], [3]), None),
        (own([(1, 0)], [], [1]), None),
        (own([], [1], []), None),
        (shown([(1, 2)], [2], [1, 3]), None),
    ],
)
def test_what_a_cell_says_of_the_length_of_the_reference(cell: object, length: int | None) -> None:
    assert claimed_reference_length(cell) == length


INDEX = st.one_of(
    st.integers(-2, 7), st.none(), st.booleans(), st.sampled_from(["1", "x"]),
    st.lists(st.integers(0, 4), max_size=3), st.floats(),
)  # fmt: skip
PAIRS = st.lists(st.tuples(INDEX, INDEX), max_size=4)
ONLY = st.lists(INDEX, max_size=4)
MATCHING = st.one_of(
    st.builds(own, PAIRS, ONLY, ONLY),
    st.builds(shown, PAIRS, ONLY, ONLY),
)
CELL = st.one_of(
    MATCHING,
    MATCHING.map(reply),
    st.sampled_from(["A contains B", "reference contains model", "A equals B", "Final Answer: x"]),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["common", "A_index", "model_index", "only_in_A", "x"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    ),
)
LENGTHS = st.builds(Lengths, st.none() | st.integers(0, 4), st.none() | st.integers(0, 4))


@given(CELL, LENGTHS)
@settings(max_examples=300)
def test_no_cell_raises_and_no_index_leaves_its_list(cell: object, lengths: Lengths) -> None:
    reading = read_cell(cell, lengths)
    assert bool(reading.reason) == (reading.answer is None)
    assert (reading.orientation is UNKNOWN) == (reading.answer is None)
    assert all(number > 0 for number in reading.repairs.values())
    if isinstance(reading.answer, ListAnswer):
        said = reading.answer
        sides = (
            (lengths.model, [m for m, _ in said.pairs], said.only_model),
            (lengths.reference, [r for _, r in said.pairs], said.only_reference),
        )
        for size, matched, only in sides:
            everything = sorted({*matched, *only})
            assert not set(matched) & set(only)
            assert everything == list(range(len(everything)))
            assert size is None or len(everything) == size


@given(PAIRS, ONLY, ONLY, LENGTHS)
@settings(max_examples=150)
def test_a_and_b_exchanged_say_the_same(
    pairs: list[tuple[Any, Any]], only_a: list[Any], only_b: list[Any], lengths: Lengths
) -> None:
    one = read_cell(shown(pairs, only_a, only_b), lengths)
    other = read_cell(shown([(b, a) for a, b in pairs], only_b, only_a), lengths)
    assert (one.orientation, one.answer) == (other.orientation, other.answer)
    assert other.first is (one.first.other if one.first else None)
