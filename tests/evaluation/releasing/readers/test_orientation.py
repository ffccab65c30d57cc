"""The rule that tells A from B by the lengths of the lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.comparison import Side
from evaluation.models import ItemVerdict
from evaluation.releasing.readers.orientation import (
    DOUBTS,
    Doubt,
    Lengths,
    Orientation,
    agreed_length,
    covered,
    side_shown_first,
)

MODEL, REFERENCE = Side.MODEL, Side.REFERENCE


@pytest.mark.parametrize(
    ("a", "b", "model", "reference", "expected"),
    [
        # the model's list alone is known
        ({1, 2, 3}, {1, 2}, 3, None, MODEL),
        ({1, 2, 3}, {1, 2}, 2, None, REFERENCE),
        ({1, 2}, {1, 2}, 2, None, Doubt.BOTH_FIT),
        ({1, 2}, {1, 2, 3}, 5, None, Doubt.NEITHER_FITS),
        # a gap or an invented index is no fit
        ({1, 3}, {1}, 3, None, Doubt.NEITHER_FITS),
        ({1, 2, 7}, {1, 2}, 2, None, REFERENCE),
        # counted from 0 it fits as well
        ({0, 1, 2}, {1, 2}, 3, None, MODEL),
        ({0, 2}, {1}, 3, None, Doubt.NEITHER_FITS),
        # both known: one fit is enough, fits of both orders are not
        ({1, 2, 3}, {1, 2, 4}, 3, 4, MODEL),
        ({1, 3}, {1, 2}, 3, 2, MODEL),
        ({1, 2}, {1, 3}, 3, 2, REFERENCE),
        ({1, 2, 3}, {1, 2, 3, 4}, 3, 3, Doubt.BOTH_FIT),
        ({1, 2}, {1, 2}, 2, 2, Doubt.BOTH_FIT),
        # the reference's alone, and none
        ({1, 2, 3}, {1, 2}, None, 2, MODEL),
        ({1, 2, 3}, {1, 2}, None, None, Doubt.NO_LENGTHS),
        # a side without values fits nothing: judges are not asked about such a list
        (set(), {1}, 0, None, Doubt.NO_LENGTHS),
        (set(), {1}, 0, 1, MODEL),
        (set(), set(), 2, 2, Doubt.NEITHER_FITS),
    ],
)
def test_the_order_by_hand(
    a: set[int], b: set[int], model: int | None, reference: int | None, expected: Side | Doubt
) -> None:
    assert side_shown_first(a, b, Lengths(model, reference)) is expected


INDICES = st.sets(st.integers(0, 6), max_size=6)
LENGTH = st.none() | st.integers(0, 6)


@given(INDICES, INDICES, LENGTH, LENGTH)
def test_swapped_indices_turn_the_order_round(
    a: set[int], b: set[int], model: int | None, reference: int | None
) -> None:
    lengths = Lengths(model, reference)
    straight, swapped = side_shown_first(a, b, lengths), side_shown_first(b, a, lengths)
    assert swapped is (straight.other if isinstance(straight, Side) else straight)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from(Side))
def test_a_judge_that_names_every_value_once_is_understood(n: int, m: int, first: Side) -> None:
    """Only lists of equal length leave a doubt."""
    sizes = {MODEL: n, REFERENCE: m}
    a, b = (set(range(1, sizes[side] + 1)) for side in (first, first.other))
    found = side_shown_first(a, b, Lengths(n, m))
    assert found is (Doubt.BOTH_FIT if n == m else first)


def test_a_list_is_covered_from_1_without_a_gap() -> None:
    assert [covered(set(i)) for i in ([1], [3, 1, 2], [2, 3], [0, 1], [])] == [
        1,
        3,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("claims", "length"),
    [([], None), ([4], 4), ([4, 4, 5], 4), ([4, 5], None), ([4, 5, 6, 4], None), ([1, 2, 2, 2], 2)],
)
def test_more_than_half_must_agree_on_a_length(claims: list[int], length: int | None) -> None:
    assert agreed_length(claims) == length


def test_the_names_are_those_that_are_stored() -> None:
    assert [each.value for each in Orientation] == ItemVerdict.Orientation.values
    assert set(DOUBTS) == set(Doubt)
