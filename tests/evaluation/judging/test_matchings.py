"""Each repair of a matching by hand; the shapes are those of real judges' answers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.comparison import Content, ListAnswer, Pair, Side, check_answer
from evaluation.judging.matchings import clean_matching
from evaluation.judging.repairs import Reading, Repair, ReplyError, ReplyFault

MODEL, REFERENCE = Side.MODEL, Side.REFERENCE


def matching(common: object, only_a: object = None, only_b: object = None) -> dict[str, Any]:
    return {
        "common": common,
        "only_in_A": [] if only_a is None else only_a,
        "only_in_B": [] if only_b is None else only_b,
    }


def pair(a: object, b: object) -> dict[str, object]:
    return {"A_index": a, "B_index": b}


def clean(value: object, n_a: int | None, n_b: int | None) -> Reading[ListAnswer]:
    """A is the model here, so that A's indices come first."""
    return clean_matching(value, n_a, n_b, MODEL)


def test_a_clean_answer_needs_no_repair() -> None:
    reading = clean(matching([pair(1, 2), pair(3, 1)], [2], [3]), 3, 3)
    assert reading.answer == ListAnswer(pairs=[(0, 1), (2, 0)], only_model=[1], only_reference=[2])
    assert reading.repairs == {}


def test_a_and_b_are_turned_round_by_what_was_shown_first() -> None:
    reading = clean_matching(matching([pair(1, 2)], [2, 3], [1]), 2, 3, REFERENCE)
    assert reading.answer == ListAnswer(pairs=[(1, 0)], only_model=[0], only_reference=[1, 2])
    assert reading.repairs == {}


@pytest.mark.parametrize("first", list(Side))
def test_model_and_reference_are_the_sides_themselves(first: Side) -> None:
    value = {
        "common": [{"reference_index": 1, "model_index": 2}],
        "only_in_model": [1],
        "only_in_reference": [2, 3],
    }
    reading = clean_matching(value, 2, 3, first)
    assert reading.answer == ListAnswer(pairs=[(1, 0)], only_model=[0], only_reference=[1, 2])
    assert reading.repairs == {}


@pytest.mark.parametrize(
    ("value", "n_a", "n_b", "pairs", "repairs"),
    [
        # outside the lists
        (matching([pair(1, 1), pair(2, 9)], [2]), 2, 1, [(0, 0)], {"pair_out_of_range": 1}),
        (matching([pair(1, 1)], [2, 7]), 2, 1, [(0, 0)], {"only_out_of_range": 1}),
        # lists in place of an index
        (
            matching([pair([1, 2], 1)], [], [2]),
            2,
            2,
            [(0, 0), (1, 0)],
            {"index_list_expanded": 1},
        ),
        (
            matching([pair([1, 2], [1, [2]])]),
            2,
            2,
            [(0, 0), (0, 1), (1, 0), (1, 1)],
            {"index_list_expanded": 3},
        ),
        (
            matching([pair([1, 9], 1)], [2]),
            2,
            1,
            [(0, 0)],
            {"index_list_expanded": 1, "pair_out_of_range": 1},
        ),
        (matching([pair(1, 1)], [[2, 3]]), 3, 1, [(0, 0)], {"index_list_expanded": 1}),
        # both matched and unmatched; not mentioned; twice
        (matching([pair(1, 1)], [1, 2]), 2, 1, [(0, 0)], {"matched_and_only": 1}),
        (matching([pair(1, 1)]), 3, 1, [(0, 0)], {"unmentioned": 2}),
        (matching([pair(1, 1), pair(1, 1)], [2]), 2, 1, [(0, 0)], {"duplicate_pair": 1}),
        (matching([pair(1, 1)], [2, 2, 2]), 2, 1, [(0, 0)], {"duplicate_only": 2}),
        # counted from 0: a whole side, or strays
        (matching([pair(0, 1)], [1], [2]), 2, 2, [(0, 0)], {"zero_based_side": 1}),
        (matching([pair(0, 0), pair(1, 1)]), 2, 2, [(0, 0), (1, 1)], {"zero_based_side": 2}),
        (matching([pair(0, 1)]), 1, 1, [(0, 0)], {"zero_based_side": 1}),
        (
            matching([pair(1, 1)], [0, 2], []),
            2,
            1,
            [(0, 0)],
            {"stray_zero": 1},
        ),
        (
            matching([pair(0, 1), pair(2, 2)], [1, 3]),
            3,
            2,
            [(1, 1)],
            {"stray_zero": 1, "unmentioned": 1},
        ),
        # 0 and 2 of three: not all of 0..2 are there, so it is a stray
        (
            matching([pair(2, 1)], [0]),
            3,
            1,
            [(1, 0)],
            {"stray_zero": 1, "unmentioned": 2},
        ),
        # what is no index
        (
            matching([pair(None, 1), pair(1, 2)], [2]),
            2,
            2,
            [(0, 1)],
            {"null_index": 1, "unmentioned": 1},
        ),
        (matching([pair(True, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"boolean_index": 1}),
        (matching([pair(-1, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"negative_index": 1}),
        (matching([pair("-1", 1), pair(1, 1)]), 1, 1, [(0, 0)], {"negative_index": 1}),
        (matching([pair(1.5, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"unreadable_index": 1}),
        (matching([pair(math.nan, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"unreadable_index": 1}),
        (matching([pair(math.inf, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"unreadable_index": 1}),
        (matching([pair("one", 1), pair(1, 1)]), 1, 1, [(0, 0)], {"unreadable_index": 1}),
        (matching([pair({}, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"unreadable_index": 1}),
        # what is one in disguise
        (matching([pair("1", " 2 ")], [], ["1"]), 1, 2, [(0, 1)], {"index_as_text": 3}),
        (matching([pair(1.0, 1)]), 1, 1, [(0, 0)], {"index_as_fraction": 1}),
        (matching([pair(10**30, 1), pair(1, 1)]), 1, 1, [(0, 0)], {"pair_out_of_range": 1}),
        # shapes
        (matching(pair(1, 1), 2, []), 2, 1, [(0, 0)], {"no_list": 2}),
        (matching(None, [1], [1]), 1, 1, [], {"no_list": 1}),
        (matching([[1, 2]], [], [1]), 1, 2, [(0, 1)], {"pair_as_array": 1}),
        (matching([pair(1, 1), {"A_index": 1}]), 1, 1, [(0, 0)], {"unreadable_pair": 1}),
        (matching([pair(1, 1), "1-1"]), 1, 1, [(0, 0)], {"unreadable_pair": 1}),
        (matching([pair(1, 1) | {"why": "same"}]), 1, 1, [(0, 0)], {}),
    ],
)
def test_each_repair(
    value: object, n_a: int, n_b: int, pairs: list[Pair], repairs: dict[str, int]
) -> None:
    reading = clean(value, n_a, n_b)
    assert reading.answer.pairs == pairs
    assert reading.repairs == repairs
    assert reading.answer.only_model == sorted(set(range(n_a)) - {m for m, _ in pairs})
    assert reading.answer.only_reference == sorted(set(range(n_b)) - {r for _, r in pairs})


@pytest.mark.parametrize(
    ("value", "spelt"),
    [
        ({"common": [{"A_index": 2, "B_index": 1}], "only_in_A": [1], "only_in_B": []}, 0),
        ({"matches": [{"a": 2, "b": 1}], "only_a": [1], "only_b": []}, 5),
        ({"pairs": [{"A": 2, "B": 1}], "A_only": [1], "B_only": []}, 5),
        ({"Common": [{"a index": 2, "b-index": 1}], "only in A": [1], "Only_In_B": []}, 5),
        ({"common": [{"model_index": 2, "reference_index": 1}], "only_in_model": [1]}, 0),
        ({"common": [{"model": 2, "reference": 1}], "only_model": [1], "only_reference": []}, 4),
        ({"matched": [{"index_model": 2, "referenceIndex": 1}], "onlyInModel": [1]}, 4),
    ],
)
def test_every_spelling_of_a_key(value: object, spelt: int) -> None:
    reading = clean(value, 2, 1)
    assert reading.answer == ListAnswer(pairs=[(1, 0)], only_model=[0], only_reference=[])
    assert reading.repairs == ({Repair.KEY_SPELLING: spelt} if spelt else {})


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "A equals B",
        {},
        {"only_in_A": [1], "only_in_B": [1]},
        {"common": "none"},
        {"common": 0},
        # a list of pairs in which nothing is a pair: calling it "nothing matches" would be a guess
        {"common": ["1-1", "2-2"]},
        {"common": [1, 2]},
        {"common": [{"left": 1, "right": 1}]},
    ],
)
def test_what_holds_no_matching_is_refused(value: object) -> None:
    with pytest.raises(ReplyError) as caught:
        clean(value, 2, 2)
    assert caught.value.reason is ReplyFault.NO_ANSWER


def test_where_a_length_is_lost_the_highest_index_stands_for_it() -> None:
    reading = clean(matching([pair(1, 2)], [2], [0, 4]), 2, None)
    assert reading.answer == ListAnswer(pairs=[(0, 1)], only_model=[1], only_reference=[0, 2, 3])
    assert reading.repairs == {"unknown_length": 1, "stray_zero": 1, "unmentioned": 2}


def test_a_senseless_index_is_no_length() -> None:
    reading = clean(matching([pair(1, 1), pair(1, 10**9)], [], [10**12]), 1, None)
    assert reading.answer == ListAnswer(pairs=[(0, 0)], only_model=[], only_reference=[])
    assert reading.repairs[Repair.PAIR_OUT_OF_RANGE] == 1
    assert reading.repairs[Repair.ONLY_OUT_OF_RANGE] == 1


INDEX = st.one_of(
    st.integers(-1, 6),
    st.none(),
    st.booleans(),
    st.floats(),
    st.sampled_from(["1", "2", "x", "", "٣"]),
    st.lists(st.integers(0, 5), max_size=3),
    st.integers(10**20, 10**21),
)
PAIRS = st.lists(st.tuples(INDEX, INDEX), max_size=5)
ONLY = st.lists(INDEX, max_size=4)
SIZE = st.integers(1, 4)


@given(PAIRS, ONLY, ONLY, SIZE, SIZE)
@settings(max_examples=200, deadline=None)
def test_the_swapped_answer_under_the_swapped_order_is_the_same(
    pairs: list[tuple[object, object]], only_a: list[Any], only_b: list[Any], n_a: int, n_b: int
) -> None:
    straight = matching([pair(a, b) for a, b in pairs], only_a, only_b)
    swapped = matching([pair(b, a) for a, b in pairs], only_b, only_a)
    one = clean_matching(straight, n_a, n_b, MODEL)
    other = clean_matching(swapped, n_a, n_b, REFERENCE)
    assert one.answer == other.answer
    assert one.repairs == other.repairs


@given(PAIRS, ONLY, ONLY, SIZE, SIZE)
@settings(max_examples=150, deadline=None)
def test_a_cleaned_answer_settles_its_task(
    pairs: list[tuple[object, object]], only_a: list[Any], only_b: list[Any], n_a: int, n_b: int
) -> None:
    value = matching([pair(a, b) for a, b in pairs], only_a, only_b)
    answer = clean_matching(value, n_a, n_b, MODEL).answer
    check_answer(answer, Content(form="list", model=["x"] * n_a, reference=["x"] * n_b))


JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["common", "A_index", "model", "b", "only_in_A", "only_model", "y"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(JSON_VALUES, st.sampled_from([None, 0, 3]), st.sampled_from([None, 0, 2]))
@settings(max_examples=250, deadline=None)
def test_no_json_crashes_it(value: object, n_model: int | None, n_reference: int | None) -> None:
    try:
        reading = clean_matching(value, n_model, n_reference, REFERENCE)
    except ReplyError:
        return
    assert all(count > 0 for count in reading.repairs.values())
    assert set(reading.repairs) <= set(Repair)
