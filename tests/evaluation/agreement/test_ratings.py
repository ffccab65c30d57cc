"""Labels to codes, and the tables of counts behind every statistic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement import tables
from evaluation.agreement.ratings import Scale, encode
from evaluation.agreement.tables import (
    check_size,
    confusion,
    count_units,
    distinct_rows,
    level_counts,
)


def test_the_scale_is_what_the_task_says_or_what_occurs():
    given_scale = Scale.of(["low", "mid", "high"], ["low"])
    assert (given_scale.levels, given_scale.given, given_scale.ordered) == (
        ("low", "mid", "high"),
        True,
        True,
    )
    numbers = Scale.of(None, [3, 1, None], [2.5])
    assert (numbers.levels, numbers.given, numbers.ordered) == ((1, 2.5, 3), False, True)
    mixed = Scale.of(None, ["b", 2, "a"])
    assert (mixed.levels, mixed.ordered) == ((2, "a", "b"), False)


def test_one_and_one_point_zero_are_one_label_and_true_is_another():
    codes, scale = encode([[1, 1.0, True], [True, 1, None]], None)
    assert len(scale) == 2
    assert codes[0, 0] == codes[0, 1] == codes[1, 1]
    assert codes[0, 2] == codes[1, 0] != codes[0, 0]
    assert codes[1, 2] == -1


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([1, 2, 1.0], "twice"),
        ([1, float("nan")], "NaN"),
        ([1, float("inf")], "infinity"),
        (list(range(1001)), "at most 1000"),
    ],
)
def test_scales_that_are_none(levels, message):
    with pytest.raises(ValueError, match=message):
        Scale.of(levels)


def test_labels_that_are_none():
    with pytest.raises(ValueError, match="NaN and infinity are no labels"):
        encode([[1, float("nan")]], None)
    with pytest.raises(ValueError, match="'x' is not one of the levels"):
        encode([["x"]], ["y"])


LABELS = st.sampled_from([1, 2, 3, 4, 7])
TABLE = st.integers(1, 30).flatmap(
    lambda n: st.lists(st.lists(LABELS | st.none(), min_size=n, max_size=n), min_size=1, max_size=5)
)


@settings(max_examples=60)
@given(TABLE, st.booleans())
def test_arrays_and_lists_are_read_alike(rows, many):
    levels = [1, 2, 3, 4, 7, *range(100, 300)] if many else [1, 2, 3, 4, 7]
    array = np.array([[np.nan if x is None else x for x in row] for row in rows], dtype=float)
    listed, _ = encode(rows, levels)
    assert np.array_equal(encode(array, levels)[0], listed)
    assert np.array_equal(encode(np.repeat(array, 200, axis=1), levels)[0][:, ::200], listed)


def test_whole_number_arrays_have_nothing_missing():
    codes, _ = encode(np.array([[1, 3], [2, 2]]), [1, 2, 3])
    assert codes.tolist() == [[0, 2], [1, 1]]
    with pytest.raises(ValueError, match="The label 9"):
        encode(np.array([[1, 9]]), [1, 2, 3])


def test_arrays_of_words():
    codes, _ = encode(np.array([["x", "y"], ["y", "y"]]), ["x", "y"])
    assert codes.tolist() == [[0, 1], [1, 1]]


@settings(max_examples=60)
@given(TABLE)
def test_counts_are_counts(rows):
    codes, scale = encode(rows, [1, 2, 3, 4, 7])
    counts = level_counts(codes, len(scale))
    for unit, column in enumerate(zip(*rows, strict=True)):
        assert counts[:, unit].tolist() == [column.count(level) for level in scale.levels]


@settings(max_examples=40)
@given(TABLE, st.booleans())
def test_units_taken_together_are_the_same_units(rows, by_number):
    codes, scale = encode(rows, [1, 2, 3, 4, 7])
    plain = count_units(codes, len(scale))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "MANY_UNITS", 0)
        if not by_number:
            patch.setattr(tables, "MOST_KINDS", 1)
        together = count_units(codes, len(scale))
    assert np.array_equal(together.counts[:, together.kind_of], plain.counts)
    assert together.times.sum() == plain.n_units == together.n_units
    assert together.n_missing == plain.n_missing == sum(row.count(None) for row in rows)
    assert together.by_level.tolist() == plain.by_level.tolist()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_distinct_rows_give_the_rows_back(rows):
    table = np.array(rows, dtype=float)
    kinds, kind_of = distinct_rows(table)
    assert np.array_equal(kinds[kind_of], table)
    assert len(kinds) == len(set(rows))


def test_a_confusion_table_leaves_out_units_with_a_missing_rating():
    a, b = np.array([0, 1, -1, 1, 0]), np.array([0, 0, 1, -1, 0])
    assert confusion(a, b, 2).tolist() == [2, 0, 1, 0]


def test_tables_beyond_reason_are_refused():
    with pytest.raises(ValueError, match="fewer levels"):
        check_size(200_000, 1_000)
