"""Fleiss' kappa."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.alpha import alpha_value
from evaluation.agreement.fleiss import fleiss_kappa
from evaluation.agreement.result import Reason

LEVELS = ["eq", "A", "B", "d"]
UNITS = "eq eq eq | eq A eq | A A A | B d B | d d d | d d eq | A A eq | B B B"
RATINGS = list(zip(*(unit.split() for unit in UNITS.split("|")), strict=True))

# Fleiss 1971: 10 subjects x 5 categories, 14 raters.
TEXTBOOK = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def test_eight_units_by_three_raters():
    result = fleiss_kappa(RATINGS, levels=LEVELS)
    # Reference: statsmodels fleiss_kappa; irrCAC 0.4.4 (5 places) for the rest.
    assert result.value == pytest.approx(0.553488, abs=1e-6)
    assert (result.n_units, result.n_raters, result.n_missing) == (8, 3, 0)
    extra = result.extra
    assert extra["randolph"] == pytest.approx(0.555556, abs=1e-6)
    assert extra["alpha_nominal"] == pytest.approx(0.57209, abs=1e-5)
    assert extra["mean_pairwise_kappa"] == pytest.approx(0.572650, abs=1e-6)
    assert extra["linearised"]["se"] == pytest.approx(0.17073, abs=1e-5)
    limits = extra["linearised"]["low"], extra["linearised"]["high"]
    assert limits == pytest.approx((0.14979, 0.95719), abs=1e-5)


def test_the_textbook_table():
    rng = random.Random(3)
    units = [[level for level, n in enumerate(counts) for _ in range(n)] for counts in TEXTBOOK]
    for unit in units:
        rng.shuffle(unit)
    result = fleiss_kappa(list(zip(*units, strict=True)), levels=[0, 1, 2, 3, 4])
    assert result.value == pytest.approx(0.209931, abs=1e-6)
    assert (result.n_units, result.n_raters) == (10, 14)


def test_missing_votes_are_refused_and_alpha_takes_them():
    ratings = [list(row) for row in RATINGS]
    ratings[2][3] = None
    result = fleiss_kappa(ratings, levels=LEVELS)
    assert (result.value, result.undefined_reason) == (None, Reason.UNEQUAL_RATERS)
    assert result.extra["alpha_nominal"] == pytest.approx(
        alpha_value(ratings, level="nominal", levels=LEVELS)
    )
    assert result.n_missing == 1


def test_units_without_a_vote_are_left_out():
    with_empty = [[*row, None] for row in RATINGS]
    result = fleiss_kappa(with_empty, levels=LEVELS)
    assert result.value == pytest.approx(0.553488, abs=1e-6)
    assert (result.n_units, result.n_excluded) == (8, 1)


def test_three_votes_of_a_larger_group_are_three_votes():
    # the same votes, cast by whichever three of five people: Fleiss asks for numbers, not names
    spread = [[None] * 8 for _ in range(5)]
    rng = random.Random(1)
    for unit, votes in enumerate(zip(*RATINGS, strict=True)):
        for rater, vote in zip(rng.sample(range(5), 3), votes, strict=True):
            spread[rater][unit] = vote
    assert fleiss_kappa(spread, levels=LEVELS).value == pytest.approx(0.553488, abs=1e-6)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([["x", "x"], ["x", "x"], ["x", "x"]], Reason.NO_VARIATION),
        ([["x", None], [None, "y"]], Reason.NO_PAIRS),
        ([["x", "y"]], Reason.NO_PAIRS),
        ([[], []], Reason.NO_PAIRS),
    ],
)
def test_undefined(ratings, reason):
    result = fleiss_kappa(ratings, levels=["x", "y"])
    assert (result.value, result.undefined_reason) == (None, reason)
    assert fleiss_kappa(ratings, levels=["x", "y"], clusters=["c"] * len(ratings[0])).low is None


def test_ratings_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="different length"):
        fleiss_kappa([["x", "y"], ["x"]])
    with pytest.raises(ValueError, match="no rater"):
        fleiss_kappa([])


VOTES = st.lists(st.tuples(*[st.sampled_from(LEVELS)] * 3), min_size=1, max_size=12)


@settings(max_examples=60)
@given(VOTES)
def test_alpha_is_kappa_with_a_correction_for_small_samples(votes):
    # with complete data, 1 - alpha = (1 - kappa) * (N - 1) / N for N ratings
    result = fleiss_kappa(list(zip(*votes, strict=True)), levels=LEVELS)
    if result.value is None:
        assert len({vote for unit in votes for vote in unit}) == 1
        return
    n = 3 * len(votes)
    assert 1 - result.extra["alpha_nominal"] == pytest.approx((1 - result.value) * (n - 1) / n)


@settings(max_examples=40)
@given(VOTES)
def test_perfect_agreement_is_one(votes):
    ratings = [[unit[0] for unit in votes]] * 3
    result = fleiss_kappa(ratings, levels=LEVELS)
    varied = len({unit[0] for unit in votes}) > 1
    assert result.value == (pytest.approx(1.0) if varied else None)
