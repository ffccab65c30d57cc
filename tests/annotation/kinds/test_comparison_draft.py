"""What the acts of the comparison task do to a draft, and when a draft is an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.errors import InvalidInput
from annotation.kinds.comparison import Content, ListAnswer, Relation, Side, SingleAnswer
from annotation.kinds.comparison_draft import (
    Choose,
    ComparisonAct,
    Match,
    Matching,
    NoCounterpart,
    OrderByLikeness,
    RestHasNoCounterpart,
    answer_of,
    groups,
    unsettled,
)

SINGLE = Content(form="single", model=["July 18"], reference=["July 21"])
LISTS = Content(form="list", model=["m1", "m2", "m3"], reference=["r1", "r2"])


def do(*acts: ComparisonAct, content: Content = LISTS, many_to_many: bool = True) -> dict:
    draft: dict = {}
    for act in acts:
        draft = act.apply(draft, content, many_to_many=many_to_many)
    return draft


def test_a_choice_is_the_relation_and_another_replaces_it() -> None:
    draft = do(Choose(Relation.EQUAL), Choose(Relation.DIFFERENT), content=SINGLE)
    assert draft == {"relation": "different"}
    answer = answer_of(draft, SINGLE, many_to_many=True)
    assert answer == SingleAnswer(relation=Relation.DIFFERENT)


def test_matching_adds_and_matching_again_takes_away() -> None:
    assert do(Match(0, 1)) == {"pairs": [[0, 1]]}
    assert do(Match(0, 1), Match(0, 1)) == {}


def test_several_counterparts_add_up_where_allowed_and_move_where_not() -> None:
    acts = (Match(0, 0), Match(0, 1), Match(1, 1))
    assert do(*acts) == {"pairs": [[0, 0], [0, 1], [1, 1]]}
    # One counterpart each: 0-0 gives way to 0-1, and 0-1 to 1-1, for both share a value.
    assert do(*acts, many_to_many=False) == {"pairs": [[1, 1]]}


def test_no_counterpart_takes_the_matches_and_a_match_takes_no_counterpart() -> None:
    draft = do(Match(0, 0), Match(0, 1), NoCounterpart(Side.MODEL, 0))
    assert draft == {"none_model": [0]}
    assert do(NoCounterpart(Side.REFERENCE, 1), Match(2, 1)) == {"pairs": [[2, 1]]}
    assert do(NoCounterpart(Side.MODEL, 1), NoCounterpart(Side.MODEL, 1)) == {}


def test_the_rest_has_no_counterpart_on_both_sides() -> None:
    draft = do(Match(1, 0), RestHasNoCounterpart())
    assert draft == {"pairs": [[1, 0]], "none_model": [0, 2], "none_reference": [1]}
    assert answer_of(draft, LISTS, many_to_many=False) == ListAnswer(
        pairs=[(1, 0)], only_model=[0, 2], only_reference=[1]
    )


def test_an_unsettled_value_is_not_the_same_as_one_without_counterpart() -> None:
    draft = do(Match(0, 0), NoCounterpart(Side.MODEL, 1))
    assert unsettled(draft, LISTS, Side.MODEL) == [2]
    assert unsettled(draft, LISTS, Side.REFERENCE) == [1]
    with pytest.raises(InvalidInput, match="2 values are not settled"):
        answer_of(draft, LISTS, many_to_many=True)
    with pytest.raises(InvalidInput, match="Choose one of the four"):
        answer_of({}, SINGLE, many_to_many=True)


@pytest.mark.parametrize(
    ("act", "content"),
    [
        (Match(3, 0), LISTS),
        (Match(0, 2), LISTS),
        (Match(-1, 0), LISTS),
        (NoCounterpart(Side.REFERENCE, 2), LISTS),
        (Choose(Relation.EQUAL), LISTS),
        (Match(0, 0), SINGLE),
        (RestHasNoCounterpart(), SINGLE),
        (OrderByLikeness(True), SINGLE),
    ],
)
def test_acts_without_a_place_are_refused(act: ComparisonAct, content: Content) -> None:
    with pytest.raises(InvalidInput):
        act.apply({}, content, many_to_many=True)


def test_ordering_is_remembered_and_other_keys_are_kept() -> None:
    on = OrderByLikeness(True).apply({"comment": "hm"}, LISTS, many_to_many=True)
    assert on == {"comment": "hm", "by_likeness": True}
    assert OrderByLikeness(False).apply(on, LISTS, many_to_many=True) == {"comment": "hm"}


ACTS = st.one_of(
    st.builds(Match, st.integers(0, 2), st.integers(0, 1)),
    st.builds(NoCounterpart, st.just(Side.MODEL), st.integers(0, 2)),
    st.builds(NoCounterpart, st.just(Side.REFERENCE), st.integers(0, 1)),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(ACTS, max_size=12), st.booleans())
def test_whatever_is_done_the_rest_settles_it_into_an_answer(
    acts: list[ComparisonAct], many_to_many: bool
) -> None:
    draft = do(*acts, many_to_many=many_to_many)
    matching = Matching.of(draft)
    for side in Side:
        assert not matching.none(side) & matching.matched(side)
    settled = RestHasNoCounterpart().apply(draft, LISTS, many_to_many=many_to_many)
    answer = answer_of(settled, LISTS, many_to_many=many_to_many)
    assert isinstance(answer, ListAnswer)
    assert set(answer.pairs) == matching.pairs


def test_pairs_that_share_a_value_are_one_group() -> None:
    # 0-0 and 1-0 share 0 on the right; 1-2 joins through 1; 3-1 stands alone.
    assert groups([(3, 1), (0, 0), (1, 0), (1, 2)]) == [([0, 1], [0, 2]), ([3], [1])]
