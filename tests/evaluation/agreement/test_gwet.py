"""Gwet's AC1 and AC2, and the Brennan-Prediger coefficient."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.gwet import ac_of_units, brennan_prediger, gwet_ac
from evaluation.agreement.ratings import encode
from evaluation.agreement.result import Flag, Reason
from evaluation.agreement.tables import count_units
from evaluation.agreement.weights import Weights

FIVE = [1, 2, 3, 4, 5]
SKEWED = [[0] * 95 + [1] * 5, [0] * 90 + [1] * 5 + [0] * 5]
H = [1, 2, 3, 4, 5, 3, 3, 2, 4, 4]
J = [2, 2, 3, 4, 4, 3, 4, 1, 4, 5]
GAPS = [
    [1, 2, 3, None, 4, 5, 1, 3, 2, 5],
    [1, 2, None, None, 4, 5, 2, 3, 2, 4],
    [2, 2, 3, 2, 5, 5, None, 4, 2, 5],
    [None, 2, 1, None, 4, 5, 1, 3, 3, None],
]


def test_ninety_equal_on_the_common_label():
    # Reference: irrCAC 0.4.4 (5 places): AC1 0.88950, Brennan-Prediger 0.80, agreement 0.90.
    ac1 = gwet_ac(SKEWED, levels=[0, 1])
    assert ac1.value == pytest.approx(0.88950, abs=1e-5)
    assert ac1.extra["observed"] == pytest.approx(0.90)
    assert ac1.flags == (Flag.PREVALENCE_ABOVE_90,)
    assert brennan_prediger(SKEWED, levels=[0, 1]).value == pytest.approx(0.80, abs=1e-6)


@pytest.mark.parametrize(
    ("weights", "ac", "bp"),
    # Reference: irrCAC 0.4.4 (5 places).
    [
        (Weights.NONE, 0.38367, 0.375),
        (Weights.LINEAR, 0.71182, 0.6875),
        (Weights.QUADRATIC, 0.89305, 0.875),
    ],
)
def test_two_raters_on_a_scale(weights, ac, bp):
    assert gwet_ac([H, J], levels=FIVE, weights=weights).value == pytest.approx(ac, abs=1e-5)
    assert brennan_prediger([H, J], levels=FIVE, weights=weights).value == pytest.approx(
        bp, abs=1e-5
    )


@pytest.mark.parametrize(
    ("weights", "ac", "bp"),
    # Reference: irrCAC 0.4.4 (5 places), four raters with gaps, one unit with a single rating.
    [
        (Weights.NONE, 0.42610, 0.42130),
        (Weights.LINEAR, 0.68041, 0.66435),
        (Weights.QUADRATIC, 0.84435, 0.82870),
    ],
)
def test_four_raters_with_gaps(weights, ac, bp):
    result = gwet_ac(GAPS, levels=FIVE, weights=weights)
    assert result.value == pytest.approx(ac, abs=1e-5)
    assert (result.n_units, result.n_raters, result.n_excluded) == (9, 4, 1)
    assert result.n_missing == sum(row.count(None) for row in GAPS)
    assert brennan_prediger(GAPS, levels=FIVE, weights=weights).value == pytest.approx(bp, abs=1e-5)


def test_levels_nobody_used_count():
    two, four = (gwet_ac(SKEWED, levels=levels).value for levels in ([0, 1], [0, 1, 2, 3]))
    # 2 levels: expected 0.095; 4 levels: expected 4 * 0.095 / (4 * 3)
    assert two == pytest.approx((0.9 - 0.095) / 0.905)
    assert four == pytest.approx((0.9 - 0.095 / 3) / (1 - 0.095 / 3))


def test_both_stay_defined_when_all_ratings_are_equal():
    same = [["x", "x"], ["x", "x"]]
    assert gwet_ac(same, levels=["x", "y"]).value == 1.0
    assert brennan_prediger(same, levels=["x", "y"]).value == 1.0


@pytest.mark.parametrize("statistic", [gwet_ac, brennan_prediger])
def test_undefined_without_pairs_or_without_a_choice(statistic):
    result = statistic([["x", None], [None, "x"]], levels=["x", "y"])
    assert (result.value, result.undefined_reason) == (None, Reason.NO_PAIRS)
    result = statistic([["x"], ["x"]], levels=["x"])
    assert (result.value, result.undefined_reason) == (None, Reason.NO_VARIATION)


RATINGS = st.integers(1, 12).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([*FIVE, None]), min_size=n, max_size=n), min_size=2, max_size=4
    )
)


@settings(max_examples=60)
@given(RATINGS, st.randoms(use_true_random=False), st.sampled_from(list(Weights)))
def test_who_rated_does_not_matter(ratings, random, weights):
    units = [list(unit) for unit in zip(*ratings, strict=True)]
    for unit in units:
        random.shuffle(unit)
    shuffled = list(zip(*units, strict=True))
    for statistic in (gwet_ac, brennan_prediger):
        before = statistic(ratings, levels=FIVE, weights=weights).value
        after = statistic(shuffled, levels=FIVE, weights=weights).value
        assert after == (None if before is None else pytest.approx(before))


@settings(max_examples=60)
@given(RATINGS)
def test_the_short_cut_equals_the_full_computation(ratings):
    codes, _ = encode(ratings, FIVE)
    value = gwet_ac(ratings, levels=FIVE).value
    short = ac_of_units(count_units(codes, 5))
    assert short == (
        pytest.approx(value) if value is not None else pytest.approx(short, nan_ok=True)
    )
    assert (value is None) == (short != short)
