"""Majority rules for gold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.gold import majority_pairs, majority_relation, median_rating


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        (["eq", "d", "eq"], "eq"),
        (["eq", "eq", "eq"], "eq"),
        (["eq", "d", "A"], None),  # a three-way split
        (["eq", "d"], None),
        (["eq", "eq", None], "eq"),
        (["eq", None, None], None),  # one person is no majority
        (["eq", "eq", "d", "d"], None),
        (["eq", "eq", "d", "A"], None),  # two of four is no majority
        (["eq", "eq", "eq", "d", "A"], "eq"),
        ([], None),
    ],
)
def test_majority_of_single_answers(votes, label):
    assert majority_relation(votes) == label


def test_one_person_decides_only_when_told_to():
    assert majority_relation(["eq", None], at_least=1) == "eq"


def test_majority_of_matchings():
    votes = [{(1, 1), (2, 2), (3, 3)}, {(1, 1), (2, 2)}, {(1, 1), (3, 3), (2, 4)}]
    assert majority_pairs(votes) == {(1, 1), (2, 2), (3, 3)}


def test_an_empty_matching_is_a_vote_and_a_missing_one_is_not():
    assert majority_pairs([set(), set(), {(1, 1)}]) == frozenset()
    assert majority_pairs([{(1, 1)}, None, None]) is None
    assert majority_pairs([{(1, 1)}, None], at_least=1) == {(1, 1)}
    assert majority_pairs([[(1, 1), (1, 1)], []]) == frozenset()  # one person, one vote a pair


@pytest.mark.parametrize(
    ("ratings", "median"),
    [([4, 2, 5], 4), ([4, 3, None], 3.5), ([4, None, None], None), ([], None), ([1, 1, 5, 5], 3)],
)
def test_median_of_ratings(ratings, median):
    assert median_rating(ratings) == median


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["eq", "d", "A"]) | st.none(), max_size=6), st.randoms())
def test_the_order_of_votes_does_not_matter(votes, random):
    shuffled = random.sample(votes, len(votes))
    assert majority_relation(shuffled) == majority_relation(votes)
