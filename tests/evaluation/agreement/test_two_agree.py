"""The two-agree rate and its chance level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.alpha import Level, alpha_value
from evaluation.agreement.result import Reason
from evaluation.agreement.two_agree import chance_of_two, two_agree

TRIPLES = "443 235 555 112 344 222 134 444"
RATINGS = [[int(x) for x in row] for row in zip(*TRIPLES.split(), strict=True)]
FIVE = [1, 2, 3, 4, 5]


def test_eight_triples():
    result = two_agree(RATINGS, levels=FIVE)
    assert result.value == pytest.approx(0.75)
    assert result.extra["chance"] == pytest.approx(0.5625)
    assert result.extra["all_different"] == 2


def test_alpha_stands_beside_it_at_the_level_that_is_asked_for():
    for level in Level:
        result = two_agree(RATINGS, levels=FIVE, level=level)
        assert result.extra["alpha"] == alpha_value(RATINGS, level=level, levels=FIVE)
        assert result.level == level


@pytest.mark.parametrize(
    ("shares", "chance"), [([0.2] * 5, 0.52), ([0.05, 0.15, 0.30, 0.35, 0.15], 0.6265)]
)
def test_chance_alone(shares, chance):
    assert chance_of_two(np.array(shares)) == pytest.approx(chance, abs=5e-5)


def test_the_published_rate_is_118_of_125():
    agreeing = [[3, 3, 4]] * 118
    different = [[1, 2, 3]] * 7
    result = two_agree(list(zip(*agreeing, *different, strict=True)), levels=FIVE)
    assert result.value == pytest.approx(0.944)
    assert result.extra["all_different"] == 7


def test_only_units_with_three_ratings_count():
    ratings = [[*RATINGS[0], 1, 1], [*RATINGS[1], 1, None], [*RATINGS[2], None, None]]
    result = two_agree(ratings, levels=FIVE)
    assert (result.value, result.n_units, result.n_excluded) == (pytest.approx(0.75), 8, 2)
    assert result.extra["chance"] == pytest.approx(0.5625)


def test_three_ratings_of_a_larger_group_are_three_ratings():
    ratings = [[1, None], [1, 2], [2, 3], [None, 4]]
    assert two_agree(ratings, levels=FIVE).value == 0.5


@pytest.mark.parametrize("ratings", [[[1, 2], [1, 2]], [[1], [2], [3], [4]], [[], [], []]])
def test_no_triple_is_undefined(ratings):
    result = two_agree(ratings, levels=FIVE)
    assert (result.value, result.undefined_reason) == (None, Reason.NO_TRIPLES)
    assert result.extra["chance"] is None


@settings(max_examples=40)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=5))
def test_chance_is_one_minus_six_times_the_sum_over_triples(weights):
    p = np.array(weights) / sum(weights)
    n = len(p)
    triples = sum(
        p[i] * p[j] * p[k] for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)
    )
    assert chance_of_two(p) == pytest.approx(1 - 6 * triples)
