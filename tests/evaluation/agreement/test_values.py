"""F1 of checklist values and the credit rule."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.result import Flag, Reason
from evaluation.agreement.values import value_f1
from evaluation.metrics.matching import Credit


def test_one_value_that_matches_two():
    two_sided = value_f1([1], [3], [[[1, 1], [1, 2]]])
    assert two_sided.value == pytest.approx(0.8)
    assert two_sided.extra["precision"] == 1.0
    assert two_sided.extra["recall"] == pytest.approx(0.666667, abs=1e-6)
    one_to_one = value_f1([1], [3], [[[1, 1], [1, 2]]], credit=Credit.ONE_TO_ONE)
    assert one_to_one.value == pytest.approx(0.5)
    for result in (two_sided, one_to_one):
        assert result.extra["two_sided"] == pytest.approx(0.8)
        assert result.extra["one_to_one"] == pytest.approx(0.5)


def test_items_are_pooled_and_empty_ones_leave_the_pool():
    # found 1 of 1 and 0 of 2 of the model; 2 of 3 and 0 of 0 of the reference
    result = value_f1([1, 0, 2], [3, 0, 0], [[[1, 1], [1, 2]], [], []])
    assert result.extra["precision"] == pytest.approx(1 / 3)
    assert result.extra["recall"] == pytest.approx(2 / 3)
    assert result.value == pytest.approx(2 * (1 / 3) * (2 / 3) / (1 / 3 + 2 / 3))
    assert (result.n_units, result.n_excluded) == (2, 1)


def test_a_side_without_values_is_zero_and_no_values_at_all_is_undefined():
    result = value_f1([0], [2], [[]])
    assert (result.value, result.extra["precision"], result.extra["recall"]) == (0.0, 0.0, 0.0)
    result = value_f1([0, 0], [0, 0], [[], []])
    assert (result.value, result.undefined_reason) == (None, Reason.NOTHING_APPLIES)
    assert result.extra["precision"] is None
    assert value_f1([], [], []).undefined_reason is Reason.NOTHING_APPLIES


def test_indices_that_name_no_value_are_dropped_and_flagged():
    result = value_f1([1], [1], [[[1, 1], [2, 1], [0, 1]]])
    assert result.value == 1.0
    assert result.flags == (Flag.INDEX_ZERO, Flag.OUT_OF_RANGE)
    assert value_f1([1], [1], [[[0, 0]]], first_index=0).value == 1.0


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="1, 1 and 2 items"):
        value_f1([1], [1], [[], []])
    with pytest.raises(ValueError, match="negative"):
        value_f1([-1], [1], [[]])


@settings(max_examples=60)
@given(st.sets(st.tuples(st.integers(1, 4), st.integers(1, 4))))
def test_one_to_one_credit_never_exceeds_two_sided(pairs):
    result = value_f1([4], [4], [sorted(pairs)])
    assert result.extra["one_to_one"] <= result.extra["two_sided"] + 1e-12
    # a one-to-one set of pairs is counted alike by either rule
    chosen = {}
    for a, b in sorted(pairs):
        if a not in chosen and b not in chosen.values():
            chosen[a] = b
    alike = value_f1([4], [4], [list(chosen.items())])
    assert alike.extra["one_to_one"] == pytest.approx(alike.extra["two_sided"])
    assert alike.value == pytest.approx(len(chosen) / 4)
