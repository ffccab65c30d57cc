"""The result object: undefined is a value, and JSON never holds NaN."""

import dataclasses
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.result import Agreement, Flag, Interval, Method, Reason, to_plain


def result(**changes):
    return Agreement(**{"value": 0.5, "n_units": 4, "n_raters": 2} | changes)


def test_a_value_is_undefined_exactly_when_a_reason_is_given():
    for value, reason in [(None, ""), (0.5, Reason.NO_VARIATION)]:
        with pytest.raises(ValueError, match="exactly when"):
            result(value=value, undefined_reason=reason)
    assert result(value=None, undefined_reason=Reason.NO_PAIRS).value is None


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_are_refused(number):
    with pytest.raises(ValueError, match="not a figure"):
        result(value=number)
    with pytest.raises(ValueError, match="not a figure"):
        result(interval=Interval(low=0.0, high=number))


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        result().value = 1.0


def test_json_names_everything_once():
    interval = Interval(
        low=0.1, high=0.9, method=Method.BCA, n_cases=7, draws=99, seed=3, flags=(Flag.FEW_CASES,)
    )
    plain = result(interval=interval, flags=(Flag.PREVALENCE_ABOVE_90,), n_invalid=2).to_json()
    for key in ("value", "low", "high", "n_units", "n_raters", "n_missing", "undefined_reason"):
        assert key in plain
    assert (plain["low"], plain["high"], plain["method"]) == (0.1, 0.9, "bca")
    assert (plain["n_cases"], plain["draws"], plain["seed"]) == (7, 99, 3)
    assert plain["undefined_reason"] == ""
    assert plain["flags"] == ["prevalence_above_90", "few_cases"]
    assert len(plain["notes"]) == 2
    assert plain["n_invalid"] == 2


def test_reasons_and_flags_all_have_a_sentence():
    for word in [*Reason, *Flag]:
        assert word.sentence.endswith(".")
    plain = result(value=None, undefined_reason=Reason.NO_PAIRS).to_json()
    assert plain["notes"] == ["No item was rated by two people."]


def test_one_reason_for_value_and_interval_is_said_once():
    undefined = result(
        value=None,
        undefined_reason=Reason.NO_PAIRS,
        interval=Interval(reason=Reason.NO_PAIRS),
    )
    assert undefined.to_json()["notes"] == ["No item was rated by two people."]


def test_extra_becomes_plain_json_at_once():
    extra = {
        "table": np.array([[1.0, np.nan]]),
        "share": np.float64(0.5),
        "levels": (1, "x"),
        "repairs": Counter({Flag.INDEX_ZERO: 2}),
        3: np.int64(4),
    }
    assert result(extra=extra).extra == {
        "table": [[1.0, None]],
        "share": 0.5,
        "levels": [1, "x"],
        "repairs": {"index_zero": 2},
        "3": 4,
    }


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(TypeError, match="object has no place"):
        to_plain(object())


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@settings(max_examples=60)
@given(NESTED)
def test_any_nest_of_values_becomes_json(value):
    json.dumps(to_plain(value), allow_nan=False)
