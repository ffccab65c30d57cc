from __future__ import annotations

import pytest

from annotation.kinds.comparison import Relation, ShownRelation, Side, as_shown
from evaluation.judging.relations import clean_relation
from evaluation.judging.repairs import Repair, ReplyError, ReplyFault

MODEL, REFERENCE = Side.MODEL, Side.REFERENCE
M, R = Relation.MODEL_CONTAINS, Relation.REFERENCE_CONTAINS
EQUAL, DIFFERENT = Relation.EQUAL, Relation.DIFFERENT
SPELT = Repair.RELATION_SPELLING


@pytest.mark.parametrize(
    ("text", "a_is_model", "a_is_reference", "repaired"),
    [
        # what our prompts offer
        ("equal", EQUAL, EQUAL, False),
        ("a_contains_b", M, R, False),
        ("b_contains_a", R, M, False),
        ("different", DIFFERENT, DIFFERENT, False),
        # the words of the public release, in the shown order
        ("A equals B", EQUAL, EQUAL, False),
        ("B equals A", EQUAL, EQUAL, False),
        ("A contains B", M, R, False),
        ("B contains A", R, M, False),
        ("A and B are different", DIFFERENT, DIFFERENT, False),
        # and of the sides themselves, whatever was shown first
        ("model equals reference", EQUAL, EQUAL, False),
        ("reference equals model", EQUAL, EQUAL, False),
        ("model contains reference", M, M, False),
        ("reference contains model", R, R, False),
        ("model and reference are different", DIFFERENT, DIFFERENT, False),
        ("reference and model are different", DIFFERENT, DIFFERENT, False),
        # other words
        ("B is contained in A", M, R, True),
        ("A is contained in B", R, M, True),
        ("a is contained by b", R, M, True),
        ("A contained in B", R, M, True),
        ("A is equal to B", EQUAL, EQUAL, True),
        ("B and A are equal", EQUAL, EQUAL, True),
        ("B is different from A", DIFFERENT, DIFFERENT, True),
        ("reference is contained in model", M, M, True),
        ("model_contains_reference", M, M, True),
        ("EQUALS", EQUAL, EQUAL, True),
        (" **A  Contains\nB.** ", M, R, True),
        ("`A-contains-B`", M, R, True),
    ],
)
def test_every_spelling(
    text: str, a_is_model: Relation, a_is_reference: Relation, repaired: bool
) -> None:
    for first, expected in ((MODEL, a_is_model), (REFERENCE, a_is_reference)):
        reading = clean_relation(text, first)
        assert reading.answer is expected
        assert reading.repairs == ({SPELT: 1} if repaired else {})


@pytest.mark.parametrize(
    "value",
    [
        "",
        "A",
        "contains",
        "not equal",
        "A does not contain B",
        "A contains A",
        "A contains reference",
        "equal or different",
        "A contains B because it says more",
        None,
        True,
        3,
        ["equal"],
        {"relation": "equal"},
    ],
)
def test_what_was_not_offered_is_refused(value: object) -> None:
    with pytest.raises(ReplyError) as caught:
        clean_relation(value, MODEL)
    assert caught.value.reason is ReplyFault.NOT_OFFERED


def test_reading_undoes_what_showing_does() -> None:
    for relation in Relation:
        for first in Side:
            assert clean_relation(as_shown(relation, first).value, first).answer is relation


def test_swapped_answers_mean_the_same() -> None:
    swapped = {
        ShownRelation.A_CONTAINS_B: ShownRelation.B_CONTAINS_A,
        ShownRelation.B_CONTAINS_A: ShownRelation.A_CONTAINS_B,
    }
    for shown in ShownRelation:
        other = swapped.get(shown, shown)
        assert clean_relation(shown, MODEL) == clean_relation(other, REFERENCE)
