from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.comparison import ListAnswer, Pair, Relation, SingleAnswer
from evaluation.metrics.matching import Credit, ItemScore, item_score, matched_counts

TWO_SIDED, ONE_TO_ONE = Credit.TWO_SIDED, Credit.ONE_TO_ONE


def answer(*pairs: Pair) -> ListAnswer:
    return ListAnswer(pairs=list(pairs), only_model=[], only_reference=[])


def test_one_value_that_matches_two_of_three() -> None:
    # The published fixture of the credit rule: one-to-one F1 0.5; two-sided P 1, R 2/3, F1 0.8.
    pairs = answer((0, 0), (0, 1))
    two_sided = item_score(pairs, 1, 3, TWO_SIDED)
    assert two_sided.value == pytest.approx(0.8, abs=1e-12)
    assert two_sided.precision == 1
    assert two_sided.recall == pytest.approx(2 / 3)
    one_to_one = item_score(pairs, 1, 3, ONE_TO_ONE)
    # One of 1 and one of 3: 2 * 1 * (1/3) / (1 + 1/3) = 0.5
    assert one_to_one.value == pytest.approx(0.5, abs=1e-12)
    assert (one_to_one.matched_model, one_to_one.matched_reference) == (1, 1)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (Relation.EQUAL, 1.0),
        (Relation.MODEL_CONTAINS, 0.5),
        (Relation.REFERENCE_CONTAINS, 0.5),
        (Relation.DIFFERENT, 0.0),
    ],
)
@pytest.mark.parametrize("credit", list(Credit))
def test_single_values(relation: Relation, expected: float, credit: Credit) -> None:
    score = item_score(SingleAnswer(relation=relation), 1, 1, credit)
    assert score == ItemScore(expected, expected, 1, expected, 1)
    assert (score.precision, score.recall) == (expected, expected)


@pytest.mark.parametrize(
    ("pairs", "n_model", "n_reference", "two_sided", "one_to_one"),
    [
        # P = 2/2, R = 1/1 = two-sided 1; one pair at most: P 1/2, R 1/1, F1 2/3
        ([(0, 0), (1, 0)], 2, 1, 1.0, 2 / 3),
        # P = 1/2, R = 1/4: 2 * 1/8 / (3/4) = 1/3, the same for both rules
        ([(0, 3)], 2, 4, 1 / 3, 1 / 3),
        ([(0, 1), (1, 0)], 2, 2, 1.0, 1.0),
        # a greedy matching could stop after (0, 0); the maximum has two pairs
        ([(0, 0), (0, 1), (1, 0)], 2, 2, 1.0, 1.0),
        ([(0, 0), (0, 0)], 1, 1, 1.0, 1.0),
        ([], 2, 3, 0.0, 0.0),
    ],
)
def test_lists(
    pairs: list[Pair], n_model: int, n_reference: int, two_sided: float, one_to_one: float
) -> None:
    value = answer(*pairs)
    assert item_score(value, n_model, n_reference).value == pytest.approx(two_sided)
    assert item_score(value, n_model, n_reference, ONE_TO_ONE).value == pytest.approx(one_to_one)


def test_an_item_without_values_is_left_out() -> None:
    score = item_score(None, 0, 0)
    assert score == ItemScore(None, 0.0, 0, 0.0, 0, "not_applicable")
    assert (score.precision, score.recall) == (None, None)


def test_one_empty_side_is_zero_without_being_asked() -> None:
    assert item_score(None, 0, 3) == ItemScore(0.0, 0.0, 0, 0.0, 3)
    assert item_score(None, 2, 0) == ItemScore(0.0, 0.0, 2, 0.0, 0)
    assert item_score(None, 2, 0).recall is None


def test_a_failed_comparison_is_never_zero() -> None:
    score = item_score(None, 2, 3)
    assert score.value is None
    assert score.undefined_reason == "not_scored"


@pytest.mark.parametrize(
    ("value", "n_model", "n_reference"),
    [
        (answer((0, 2)), 1, 2),
        (answer((1, 0)), 1, 2),
        (SingleAnswer(relation=Relation.EQUAL), 1, 2),
        (None, -1, 2),
    ],
)
def test_impossible_input_is_refused(
    value: ListAnswer | SingleAnswer | None, n_model: int, n_reference: int
) -> None:
    with pytest.raises(ValueError, match=r"value|lists"):
        item_score(value, n_model, n_reference)


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 4))


@st.composite
def matchings(draw: st.DrawFn) -> tuple[list[Pair], int, int]:
    n_model, n_reference = draw(SIZES)
    cells = list(itertools.product(range(n_model), range(n_reference)))
    return draw(st.lists(st.sampled_from(cells), max_size=6)), n_model, n_reference


def largest_matching(pairs: set[Pair]) -> int:
    """By trying every subset."""
    for size in range(len(pairs), 0, -1):
        for subset in itertools.combinations(pairs, size):
            models, references = zip(*subset, strict=True)
            if len(set(models)) == len(set(references)) == size:
                return size
    return 0


@given(matchings())
@settings(max_examples=150, deadline=None)
def test_one_to_one_is_the_largest_matching(case: tuple[list[Pair], int, int]) -> None:
    pairs, n_model, n_reference = case
    size = largest_matching(set(pairs))
    assert matched_counts(pairs, n_model, n_reference, ONE_TO_ONE) == (size, size)


@given(matchings(), st.sampled_from(list(Credit)))
@settings(max_examples=100, deadline=None)
def test_the_score_is_f1_and_symmetric(case: tuple[list[Pair], int, int], credit: Credit) -> None:
    pairs, n_model, n_reference = case
    score = item_score(answer(*pairs), n_model, n_reference, credit)
    swapped = item_score(answer(*((r, m) for m, r in pairs)), n_reference, n_model, credit)
    assert swapped.value == pytest.approx(score.value)
    p, r = score.precision, score.recall
    assert p is not None
    assert r is not None
    assert score.value == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)
