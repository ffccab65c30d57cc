"""Accuracy, balanced accuracy, macro-F1 and Wilson's interval."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.accuracy import accuracy, balanced_accuracy, macro_f1, wilson_interval
from evaluation.agreement.intervals import Resampling
from evaluation.agreement.result import Flag, Method, Reason

LEVELS = ["eq", "A", "B", "d"]
HUMAN = ["eq", "A", "B", "d", "eq", "d", "A", "eq", "d", "B"]
JUDGE = ["eq", "A", "A", "d", "eq", "d", "eq", "eq", None, "B"]

# Reference: sklearn.metrics.accuracy_score, balanced_accuracy_score, f1_score(average="macro").
REFERENCE = [
    (accuracy, 0.70, 0.777778),
    (balanced_accuracy, 0.666667, 0.75),
    (macro_f1, 0.705952, 0.755952),
]


@pytest.mark.parametrize(("statistic", "value", "valid_only"), REFERENCE)
def test_a_judge_is_charged_for_an_invalid_answer(statistic, value, valid_only):
    result = statistic(HUMAN, JUDGE, levels=LEVELS)
    assert result.value == pytest.approx(value, abs=1e-6)
    assert result.extra["valid_only"] == pytest.approx(valid_only, abs=1e-6)
    assert (result.n_units, result.n_invalid, result.n_excluded) == (10, 1, 0)
    assert result.n_missing == 1


def test_units_without_an_agreed_label_are_excluded_and_counted():
    result = accuracy([*HUMAN, None, None], [*JUDGE, "eq", None], levels=LEVELS)
    assert result.value == pytest.approx(0.7)
    assert (result.n_units, result.n_excluded, result.n_invalid, result.n_missing) == (10, 2, 1, 4)


def test_the_confusion_table_has_a_column_of_invalid_answers():
    result = accuracy(HUMAN, JUDGE, levels=LEVELS)
    assert result.extra["confusion"] == [[3, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 2]]
    assert result.extra["invalid"] == [0, 0, 0, 1]


def test_levels_that_nobody_used_do_not_enter_the_means():
    for statistic in (balanced_accuracy, macro_f1):
        with_unused = statistic(HUMAN, JUDGE, levels=[*LEVELS, "never"])
        assert with_unused.value == pytest.approx(statistic(HUMAN, JUDGE).value)


def test_a_label_only_the_judge_used_counts_nothing_in_macro_f1():
    # "eq": F1 = 2 * 1 / (2 + 1); "d": only the judge, F1 = 0; mean = 1/3
    assert macro_f1(["eq", "eq"], ["eq", "d"]).value == pytest.approx(1 / 3)


def test_no_valid_answer_at_all_is_accuracy_zero_and_no_valid_only():
    result = accuracy(["eq", "d"], [None, None], levels=["eq", "d"])
    assert result.value == 0.0
    assert result.extra["valid_only"] is None


@pytest.mark.parametrize("statistic", [accuracy, balanced_accuracy, macro_f1])
@pytest.mark.parametrize("labels", [[], [None, None]])
def test_no_unit_with_a_human_label_is_undefined(statistic, labels):
    result = statistic(labels, labels)
    assert result.value is None
    assert result.undefined_reason is Reason.NO_UNITS


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Reference: statsmodels proportion_confint(method="wilson").
    [(37, 50, 0.604468, 0.841285), (28, 50, 0.423060, 0.688378)],
)
def test_wilson(hits, n, low, high):
    assert wilson_interval(hits, n) == pytest.approx((low, high), abs=1e-6)


def test_wilson_stays_in_range_and_refuses_what_is_no_share():
    assert wilson_interval(0, 7)[0] == 0.0
    assert wilson_interval(7, 7)[1] == 1.0
    for hits, n in [(1, 0), (-1, 3), (4, 3)]:
        with pytest.raises(ValueError, match="no share"):
            wilson_interval(hits, n)


def with_hits(hits, n):
    return ["x"] * n, ["x"] * hits + ["y"] * (n - hits)


def test_one_unit_a_case_gets_wilsons_interval():
    result = accuracy(*with_hits(37, 50), clusters=range(50))
    assert result.method == Method.WILSON
    assert (result.low, result.high) == pytest.approx((0.604468, 0.841285), abs=1e-6)
    assert result.n_cases == 50


def test_several_units_a_case_get_the_interval_by_case():
    clusters = [unit // 5 for unit in range(50)]
    result = accuracy(*with_hits(37, 50), clusters=clusters)
    assert result.method == Method.JACKKNIFE_T
    assert result.n_cases == 10
    with pytest.raises(ValueError, match="several"):
        accuracy(*with_hits(37, 50), clusters=clusters, how=Resampling(method=Method.WILSON))


def test_excluded_units_do_not_stand_in_the_way_of_wilson():
    human, judge = with_hits(37, 50)
    result = accuracy([*human, None], [*judge, "x"], clusters=[*range(50), 0])
    assert result.method == Method.WILSON
    assert (result.low, result.high) == pytest.approx((0.604468, 0.841285), abs=1e-6)


def test_a_method_that_is_asked_for_is_used():
    how = Resampling(method=Method.JACKKNIFE_T)
    assert accuracy(*with_hits(37, 50), clusters=range(50), how=how).method == Method.JACKKNIFE_T
    with pytest.raises(ValueError, match="accuracy alone"):
        macro_f1(*with_hits(3, 5), clusters=range(5), how=Resampling(method=Method.WILSON))


@pytest.mark.parametrize(("n", "reason", "flags"), [(4, "too_few_cases", ()), (9, "", ("few",))])
def test_few_cases_are_flagged_or_refused_for_wilson_too(n, reason, flags):
    result = accuracy(*with_hits(3, n), clusters=range(n))
    assert result.interval.reason == reason
    assert (result.low is None) == bool(reason)
    assert (Flag.FEW_CASES in result.all_flags) == bool(flags)


def test_unequal_lengths_and_stray_labels_are_refused():
    with pytest.raises(ValueError, match="human has 2 values and judge has 1"):
        accuracy(["x", "y"], ["x"])
    with pytest.raises(ValueError, match="'z' is not one of the levels"):
        accuracy(["x"], ["z"], levels=["x", "y"])
    with pytest.raises(ValueError, match="clusters has 1 ids for 2 units"):
        accuracy(["x", "y"], ["x", "y"], clusters=[1])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from([*LEVELS, None])), min_size=1))
def test_renaming_labels_and_reordering_units_changes_nothing(units):
    human, judge = zip(*units, strict=True)
    names = {"eq": 9, "A": 2, "B": "b", "d": 4.5, None: None}
    for statistic in (accuracy, balanced_accuracy, macro_f1):
        value = statistic(human, judge, levels=LEVELS).value
        renamed = statistic([names[x] for x in human], [names[x] for x in judge])
        assert renamed.value == pytest.approx(value)
        assert statistic(human[::-1], judge[::-1]).value == pytest.approx(value)
        assert statistic(human, human).value == 1.0
