"""F1 of matched index pairs: a judge against people, and people among themselves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.agreement.matching import Average, matching_f1, pairwise_f1
from evaluation.agreement.pairs import PairRepair, clean_pairs
from evaluation.agreement.result import Flag, Reason


def items(text):
    """``11,23 | | 12`` -> per item a list of pairs."""
    parts = [part.strip() for part in text.split("|")]
    return [[[int(p[0]), int(p[1])] for p in part.split(",") if p] for part in parts]


HUMAN = items("11,22,33 | 12 | | 11,21 | 11")
JUDGE = items("11,23 | 12 | | 11 | ")


def test_five_items():
    # Reference: sklearn f1_score on indicator matrices, average="micro" and "samples".
    result = matching_f1(HUMAN, JUDGE)
    assert result.value == pytest.approx(0.545455, abs=1e-6)
    extra = result.extra
    assert extra["precision"] == pytest.approx(0.75)
    assert extra["recall"] == pytest.approx(0.428571, abs=1e-6)
    assert extra["micro"] == result.value
    assert extra["macro"] == pytest.approx(0.613333, abs=1e-6)
    assert extra["macro_nonempty"] == pytest.approx(0.516667, abs=1e-6)
    assert extra["n_both_empty"] == 1
    assert (result.n_units, result.unit) == (5, "item")
    # sklearn's default counts the empty item as 0: the sum of the others over all five
    assert extra["macro_nonempty"] * 4 / 5 == pytest.approx(0.413333, abs=1e-6)


@pytest.mark.parametrize(
    ("average", "value"),
    [(Average.MICRO, 0.545455), (Average.MACRO, 0.613333), (Average.MACRO_NONEMPTY, 0.516667)],
)
def test_the_average_that_is_asked_for_is_the_value(average, value):
    result = matching_f1(HUMAN, JUDGE, average=average, clusters=range(5))
    assert result.value == pytest.approx(value, abs=1e-6)
    assert result.low < result.value < result.high


def test_one_matching_against_another():
    assert matching_f1(items("11,22,33"), items("11,23")).value == pytest.approx(0.40)


def test_an_invalid_answer_finds_nothing_even_where_nothing_matches():
    result = matching_f1([*HUMAN, [[1, 1]], []], [*JUDGE, None, None])
    # pooled: 3 hits, 4 judge pairs, 7 + 1 human pairs
    assert result.value == pytest.approx(6 / 12)
    assert result.extra["macro"] == pytest.approx(5 * 0.613333 / 7, abs=1e-6)
    assert result.extra["valid_only"] == pytest.approx(0.545455, abs=1e-6)
    assert (result.n_units, result.n_invalid) == (7, 2)


def test_items_without_an_agreed_answer_are_excluded():
    result = matching_f1([*HUMAN, None], [*JUDGE, [[1, 1]]])
    assert result.value == pytest.approx(0.545455, abs=1e-6)
    assert (result.n_units, result.n_excluded, result.n_missing) == (5, 1, 1)


def test_nothing_to_match_is_undefined_when_pooled_and_one_by_item():
    result = matching_f1([[], []], [[], []])
    assert (result.value, result.undefined_reason) == (None, Reason.NO_MATCHES)
    assert result.extra["macro"] == 1.0
    assert result.extra["precision"] is None
    by_item = matching_f1([[], []], [[], []], average=Average.MACRO)
    assert by_item.value == 1.0
    none = matching_f1([[]], [[]], average=Average.MACRO_NONEMPTY)
    assert none.undefined_reason is Reason.NO_MATCHES
    assert matching_f1([None], [[]]).undefined_reason is Reason.NO_UNITS
    assert matching_f1([], []).undefined_reason is Reason.NO_UNITS


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="5 and 4 items"):
        matching_f1(HUMAN, JUDGE[:4])
    with pytest.raises(ValueError, match="sizes has 1 entries for 5 items"):
        matching_f1(HUMAN, JUDGE, sizes=[(3, 3)])


def test_cleaning_drops_duplicates_and_expands_lists():
    clean = clean_pairs([[1, [1, 2]], [1, 1], [[2, 3], 4]])
    assert clean.pairs == {(1, 1), (1, 2), (2, 4), (3, 4)}
    assert clean.repairs == {PairRepair.LIST_EXPANDED: 2, PairRepair.DUPLICATE: 1}


def test_index_zero_is_flagged_and_never_shifted():
    clean = clean_pairs([[0, 0], [1, 1]])
    assert clean.pairs == {(0, 0), (1, 1)}
    assert clean.repairs == {PairRepair.INDEX_ZERO: 1}
    result = matching_f1(items("11,22"), [[[0, 0], [1, 1]]])
    assert result.value == pytest.approx(0.5)
    assert result.flags == (Flag.INDEX_ZERO,)
    # with the sizes known, 0 names no value
    assert clean_pairs([[0, 1], [1, 1]], sizes=(1, 1)).pairs == {(1, 1)}
    # where counting starts at 0, it is an index like any other
    assert clean_pairs([[0, 0]], first_index=0).repairs == {}


def test_indices_that_name_no_value_are_dropped_and_flagged():
    assert clean_pairs([[1, 4], [3, 3], [-1, 1]], sizes=(3, 3)).pairs == {(3, 3)}
    assert clean_pairs([[3, 0], [2, 2]], sizes=(3, 3), first_index=0).pairs == {(2, 2)}
    result = matching_f1(items("11"), items("11,19"), sizes=[(2, 2)])
    assert result.value == 1.0
    assert result.flags == (Flag.OUT_OF_RANGE,)
    assert result.extra["repairs"] == {"out_of_range": 1}


def test_what_is_no_pair_is_refused():
    with pytest.raises(ValueError, match="two indices, not 3"):
        clean_pairs([[1, 2, 3]])
    with pytest.raises(ValueError, match="more than"):
        clean_pairs([[list(range(2000)), list(range(2000))]])


THREE = [items("11,22,33"), items("11,22"), items("11,33,24")]


def test_three_annotators():
    result = pairwise_f1(THREE)
    assert result.extra["pairs"] == pytest.approx([0.8, 0.666667, 0.4], abs=1e-6)
    assert result.value == pytest.approx(0.622222, abs=1e-6)
    assert result.extra["macro"] == pytest.approx(0.622222, abs=1e-6)
    assert (result.n_units, result.n_raters) == (1, 3)


def test_pooled_and_by_item_differ():
    one, other = items("11,22,33 | 11"), items("11,22 | 12")
    result = pairwise_f1([one, other])
    assert result.value == pytest.approx(2 * 2 / 7)  # 2 hits, 4 + 3 pairs
    assert result.extra["macro"] == pytest.approx((0.8 + 0) / 2)
    assert pairwise_f1([one, other], average=Average.MACRO).value == pytest.approx(0.4)


def test_both_empty_agree_and_are_counted():
    result = pairwise_f1([items("11 | "), items("11 | ")], average=Average.MACRO)
    assert result.value == 1.0
    assert result.extra["n_both_empty"] == 1


def test_one_annotator_marks_and_two_do_not_is_disagreement():
    result = pairwise_f1([items("11,22"), [[]], [[]]])
    # 0 and 0 with the first; the other two agree that nothing matches
    assert result.extra["pairs"] == [0.0, 0.0, 1.0]
    assert result.value == pytest.approx(1 / 3)


def test_items_that_a_pair_of_annotators_does_not_share_are_left_out():
    annotators = [[*THREE[0], [[1, 1]]], [*THREE[1], None], [None, [[1, 1]]]]
    result = pairwise_f1(annotators)
    assert result.extra["pairs"] == [pytest.approx(0.8), pytest.approx(1.0), None]
    assert result.value == pytest.approx(0.9)
    assert result.extra["n_shared"] == [1, 1, 0]
    assert (result.n_units, result.n_missing) == (2, 2)


@pytest.mark.parametrize(
    ("annotators", "reason"),
    [
        ([[[[1, 1]], None], [None, [[1, 1]]]], Reason.NO_PAIRS),
        ([[[[1, 1]]]], Reason.NO_PAIRS),
        ([[[]], [[]], [[]]], Reason.NO_MATCHES),
        ([[], []], Reason.NO_PAIRS),
    ],
)
def test_undefined(annotators, reason):
    result = pairwise_f1(annotators)
    assert (result.value, result.undefined_reason) == (None, reason)
    if reason is Reason.NO_PAIRS and annotators[0]:
        assert result.to_json()["notes"] == ["No item was rated by two people."]


def test_annotators_need_the_same_items():
    with pytest.raises(ValueError, match="1 and 2 items"):
        pairwise_f1([[[]], [[], []]])
    with pytest.raises(ValueError, match="at least two"):
        pairwise_f1([])


PAIR_SETS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=5)
ANSWERS = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.none() | PAIR_SETS, min_size=n, max_size=n), min_size=2, max_size=4
    )
)


@settings(max_examples=50)
@given(ANSWERS, st.randoms(use_true_random=False))
def test_the_order_of_annotators_does_not_matter(annotators, random):
    for average in Average:
        value = pairwise_f1(annotators, average=average).value
        shuffled = random.sample(annotators, len(annotators))
        assert pairwise_f1(shuffled, average=average).value == (
            None if value is None else pytest.approx(value)
        )


@settings(max_examples=50)
@given(st.lists(PAIR_SETS, min_size=1, max_size=6))
def test_agreeing_with_oneself_is_one(answers):
    for average in Average:
        result = matching_f1(answers, [pairs[::-1] for pairs in answers], average=average)
        assert result.value in (1.0, None)
        assert (result.value is None) == (not any(answers) and average is not Average.MACRO)


@settings(max_examples=50)
@given(st.lists(st.tuples(PAIR_SETS, PAIR_SETS), min_size=1, max_size=6))
def test_two_annotators_are_a_judge_and_a_human(answers):
    one, other = zip(*answers, strict=True)
    for average in Average:
        value = matching_f1(one, other, average=average).value
        pair = pairwise_f1([one, other], average=average).value
        assert pair == (None if value is None else pytest.approx(value))
