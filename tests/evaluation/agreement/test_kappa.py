"""Cohen's kappa, unweighted and weighted."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.kappa import cohen_kappa, mean_kappa
from evaluation.agreement.result import Flag, Reason
from evaluation.agreement.weights import Weights

FIVE = [1, 2, 3, 4, 5]
H = [1, 2, 3, 4, 5, 3, 3, 2, 4, 4]
J = [2, 2, 3, 4, 4, 3, 4, 1, 4, 5]
RELATIONS = ["eq", "AcB", "BcA", "diff"]


@pytest.mark.parametrize(
    ("weights", "value"),
    # Reference: sklearn cohen_kappa_score(labels=...), statsmodels cohens_kappa.
    [(Weights.NONE, 0.342105), (Weights.LINEAR, 0.609375), (Weights.QUADRATIC, 0.812030)],
)
def test_kappa(weights, value):
    result = cohen_kappa(H, J, levels=FIVE, weights=weights)
    assert result.value == pytest.approx(value, abs=1e-6)
    observed, expected = result.extra["observed"], result.extra["expected"]
    assert (observed - expected) / (1 - expected) == pytest.approx(result.value)


def test_what_stands_beside_unweighted_kappa():
    extra = cohen_kappa(H, J, levels=FIVE).extra
    # 5 of 10 equal; expected: (1*1 + 2*2 + 3*2 + 3*4 + 1*1) / 100
    assert extra["observed"] == extra["exact"] == 0.5
    assert extra["expected"] == pytest.approx(0.24)
    assert extra["max_kappa"] == pytest.approx(0.868421, abs=1e-6)
    # Reference: statsmodels cohens_kappa, asymptotic interval.
    limits = extra["asymptotic"]["low"], extra["asymptotic"]["high"]
    assert limits == pytest.approx((-0.027125, 0.711335), abs=1e-6)


def test_weights_count_steps_over_the_full_scale():
    h, j = [1, 2, 5, 1, 2, 5, 2, 1], [1, 2, 5, 2, 2, 5, 5, 1]
    assert cohen_kappa(h, j, levels=FIVE, weights=Weights.QUADRATIC).value == pytest.approx(
        0.776536, abs=1e-6
    )
    # the trap: levels taken from the data make 2 and 5 neighbours
    assert cohen_kappa(h, j, levels=[1, 2, 5], weights=Weights.QUADRATIC).value == pytest.approx(
        0.804878, abs=1e-6
    )
    with pytest.raises(ValueError, match="needs levels"):
        cohen_kappa(h, j, weights=Weights.QUADRATIC)


def test_invalid_judge_answers_are_missing_and_counted():
    human = ["eq", "A", "B", "d", "eq", "d", "A", "eq", "d", "B"]
    judge = ["eq", "A", "A", "d", "eq", "d", "eq", "eq", None, "B"]
    result = cohen_kappa(human, judge, levels=["eq", "A", "B", "d"])
    assert result.value == pytest.approx(0.694915, abs=1e-6)
    assert (result.n_units, result.n_missing, result.n_excluded) == (9, 1, 1)


@pytest.mark.parametrize(
    ("weights", "value"),
    [(Weights.NONE, 0.8684), (Weights.LINEAR, 0.9265), (Weights.QUADRATIC, 0.9677)],
)
def test_two_likert_raters_who_differ_once(weights, value):
    a, b = [1, 2, 3, 3, 2, 1, 4, 1, 2, 5], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]
    result = cohen_kappa(a, b, levels=FIVE, weights=weights)
    assert result.extra["exact"] == 0.9
    assert result.value == pytest.approx(value, abs=5e-5)


def test_a_rare_class_drags_kappa_below_zero_and_the_reader_is_told():
    a, b = ["eq"] * 18 + ["diff", "eq"], ["eq"] * 18 + ["eq", "diff"]
    result = cohen_kappa(a, b, levels=["eq", "diff"])
    assert result.extra["observed"] == 0.9
    assert result.value == pytest.approx(-0.0526, abs=5e-5)
    assert result.extra["ac1"] == pytest.approx(0.8895, abs=5e-5)
    assert result.flags == (Flag.PREVALENCE_ABOVE_90,)
    assert "AC1" in result.to_json()["notes"][0]
    on_four = cohen_kappa(a, b, levels=RELATIONS)
    assert on_four.value == pytest.approx(-0.0526, abs=5e-5)
    assert on_four.extra["ac1"] == pytest.approx(0.8967, abs=5e-5)


def test_swapped_order_is_undone_before_it_is_judged():
    a = ["eq", "AcB", "AcB", "diff", "eq", "BcA"]
    as_shown = ["eq", "BcA", "BcA", "diff", "eq", "AcB"]
    result = cohen_kappa(a, as_shown, levels=RELATIONS)
    assert result.extra["observed"] == 0.5
    assert result.value == pytest.approx(0.3333, abs=5e-5)
    turned = {"AcB": "BcA", "BcA": "AcB"}
    unswapped = [turned.get(label, label) for label in as_shown]
    result = cohen_kappa(a, unswapped, levels=RELATIONS)
    assert (result.extra["observed"], result.value) == (1.0, 1.0)


@pytest.mark.parametrize("weights", list(Weights))
def test_no_variation_is_undefined(weights):
    result = cohen_kappa([3, 3, 3], [3, 3, 3], levels=FIVE, weights=weights)
    assert result.value is None
    assert result.undefined_reason is Reason.NO_VARIATION
    assert result.extra["exact"] == 1.0
    assert result.extra["ac1"] == 1.0


@pytest.mark.parametrize("weights", list(Weights))
def test_one_constant_rater_gives_zero_and_a_flag(weights):
    for a, b in [([3, 3, 3, 3], [1, 2, 3, 4]), ([1, 2, 3, 4], [3, 3, 3, 3])]:
        result = cohen_kappa(a, b, levels=FIVE, weights=weights)
        assert result.value == pytest.approx(0.0)
        assert Flag.ONE_RATER_CONSTANT in result.flags


def test_two_raters_constant_on_different_levels_agree_as_chance_would():
    result = cohen_kappa([1, 1], [2, 2], levels=FIVE)
    assert result.value == 0.0
    assert Flag.ONE_RATER_CONSTANT in result.flags


def test_no_shared_unit_is_undefined():
    result = cohen_kappa(["x", None], [None, "y"])
    assert result.value is None
    assert result.undefined_reason is Reason.NO_PAIRS
    assert result.to_json()["notes"] == ["No item was rated by two people."]
    assert cohen_kappa([], []).undefined_reason is Reason.NO_PAIRS


def test_arrays_give_what_lists_give():
    a = np.array([1.0, 2, 3, np.nan, 5, 3, 3, 2, 4, 4])
    listed = [None if np.isnan(x) else x for x in a]
    from_arrays = cohen_kappa(a, np.array(J), levels=FIVE, weights=Weights.LINEAR)
    from_lists = cohen_kappa(listed, J, levels=FIVE, weights=Weights.LINEAR)
    assert from_arrays == from_lists


def by_definition(pairs, levels, weights):
    """Weighted kappa as Cohen wrote it: sums over all pairs of units."""
    place = {level: code for code, level in enumerate(levels)}
    power = {Weights.NONE: 0, Weights.LINEAR: 1, Weights.QUADRATIC: 2}[weights]
    far = lambda x, y: float(abs(place[x] - place[y]) ** power if x != y else 0)  # noqa: E731
    observed = sum(far(x, y) for x, y in pairs) / len(pairs)
    crossed = itertools.product((x for x, _ in pairs), (y for _, y in pairs))
    expected = sum(far(x, y) for x, y in crossed) / len(pairs) ** 2
    return 1 - observed / expected if expected else None


PAIRS = st.lists(st.tuples(st.sampled_from(FIVE), st.sampled_from(FIVE)), min_size=1, max_size=25)


@settings(max_examples=80)
@given(PAIRS, st.sampled_from(list(Weights)))
def test_kappa_is_what_its_definition_says(pairs, weights):
    a, b = zip(*pairs, strict=True)
    value = by_definition(pairs, FIVE, weights)
    result = cohen_kappa(a, b, levels=FIVE, weights=weights)
    assert result.value == (None if value is None else pytest.approx(value, abs=1e-12))
    assert cohen_kappa(b, a, levels=FIVE, weights=weights).value == (
        None if value is None else pytest.approx(value, abs=1e-12)
    )


@settings(max_examples=40)
@given(PAIRS)
def test_a_scale_read_backwards_or_renamed_gives_the_same_kappa(pairs):
    a, b = zip(*pairs, strict=True)
    name = {level: f"level {level}" for level in FIVE}
    for weights in Weights:
        value = cohen_kappa(a, b, levels=FIVE, weights=weights).value
        backwards = cohen_kappa(a, b, levels=FIVE[::-1], weights=weights).value
        renamed = cohen_kappa(
            [name[x] for x in a],
            [name[x] for x in b],
            levels=list(name.values()),
            weights=weights,
        ).value
        expected = None if value is None else pytest.approx(value, abs=1e-12)
        assert backwards == expected
        assert renamed == expected


def test_the_mean_over_aspects_is_not_the_pooled_kappa():
    easy = ([5, 5, 4, 5, 4, 5], [5, 5, 4, 5, 4, 4])
    hard = ([1, 2, 1, 2, 2, 1], [2, 1, 1, 2, 1, 1])
    each = [cohen_kappa(a, b, levels=FIVE).value for a, b in (easy, hard)]
    mean = mean_kappa({"easy": easy, "hard": hard}, levels=FIVE)
    assert mean.value == pytest.approx(sum(each) / 2)
    assert mean.extra["aspects"] == pytest.approx({"easy": each[0], "hard": each[1]})
    pooled = cohen_kappa(easy[0] + hard[0], easy[1] + hard[1], levels=FIVE)
    assert pooled.value > mean.value + 0.1


def test_an_aspect_without_a_value_stays_out_of_the_mean_and_is_named():
    aspects = {"varied": (H, J), "flat": ([3] * 10, [3] * 10)}
    mean = mean_kappa(aspects, levels=FIVE)
    assert mean.value == pytest.approx(0.342105, abs=1e-6)
    assert mean.flags == (Flag.SOME_UNDEFINED,)
    assert mean.extra["undefined"] == {"flat": "no_variation"}
    none = mean_kappa({"flat": aspects["flat"]}, levels=FIVE)
    assert none.undefined_reason is Reason.NO_VARIATION
