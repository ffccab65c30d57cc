from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    Relation,
    ShownRelation,
    SingleAnswer,
    check_answer,
)
from evaluation.judging.rules import compare, compare_single, match_lists

EQUAL, DIFFERENT = ShownRelation.EQUAL, ShownRelation.DIFFERENT
A, B = ShownRelation.A_CONTAINS_B, ShownRelation.B_CONTAINS_A
SWAPPED = {A: B, B: A, EQUAL: EQUAL, DIFFERENT: DIFFERENT}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # looks alone
        ("Ada Lovelace", "  “ADA LOVELACE.” ", EQUAL),
        ("Judge Ada Lovelace", "Dr. Ada Lovelace", EQUAL),
        ("Ada K. Lovelace", "Ada Lovelace", EQUAL),
        ("Ada K. Lovelace", "[Ada King Lovelace]", EQUAL),
        ("Full name: Ada Lovelace", "Ada Lovelace", EQUAL),
        ("July 21, 2025", "2025-07-21", EQUAL),
        ("a fine of $1.2 million", "a $1,200,000 fine", EQUAL),
        ("sixteen towns", "16 towns", EQUAL),
        ("145 F. 4th 39", "145 F.4th 39", EQUAL),
        # one holds more
        ("July 21, 2025", "July 2025", A),
        ("ferry tickets", "free ferry tickets for school children", B),
        ("The bridge opened on May 3.", "The bridge opened on May 3, 2021 after six years.", B),
        # other things, or the same thing otherwise
        ("Yes", "No.", DIFFERENT),
        ("2025 WL 2180478", "2025 WL 1793858", DIFFERENT),
        ("July 18, 2025: bridge opened", "July 21, 2025: bridge opened", DIFFERENT),
        ("a fine of $500", "a fine of $600", DIFFERENT),
        (
            "nineteen towns and the harbour of Columbia",
            "21 towns and the harbour of Columbia",
            DIFFERENT,
        ),
        ("The motion was granted", "The motion was denied", DIFFERENT),
        ("Group A", "Group B", DIFFERENT),
        ("5%", "5", DIFFERENT),
        ("Ada Lovelace", "Grace Hopper", DIFFERENT),
        ("", "anything", DIFFERENT),
        ("—", "***", DIFFERENT),
    ],
)
def test_single_values(a: str, b: str, expected: ShownRelation) -> None:
    assert compare_single(a, b).relation is expected
    assert compare_single(b, a).relation is SWAPPED[expected]


def test_the_explanation_names_what_is_shared_and_what_conflicts() -> None:
    found = compare_single(
        "On July 18, 2025 Ada paid $500", "On July 21, 2025 Ada paid 500 dollars"
    )
    assert found.explanation["shared"]["amount"] == ["$500", "500 dollars"]
    assert found.explanation["conflicting"] == {"date": ["July 18, 2025", "July 21, 2025"]}
    assert 0 < found.explanation["score"] < 1


def test_lists_are_matched_by_what_sets_values_apart() -> None:
    model = [
        "May 3, 2021: The council approved the ferry.",
        "June 9, 2021: The council approved the bridge.",
        "The harbour master resigned.",
    ]
    reference = [
        "On June 9 the bridge was approved by the council",
        "Ada Lovelace was elected mayor",
        "On May 3 the ferry was approved by the council",
    ]
    matching = match_lists(model, reference)
    assert matching.pairs == [(0, 2), (1, 0)]
    assert [row["shared"]["date"] for row in matching.explanation["pairs"]] == [
        ["May 3", "May 3, 2021"],
        ["June 9", "June 9, 2021"],
    ]


def test_labels_that_sort_the_values_of_both_lists_keep_them_apart() -> None:
    model = ["Buyer: the town of Ely", "Seller: the town council of Ely"]
    reference = ["Seller: the town of Ely", "Buyer: a farmer"]
    assert match_lists(model, reference).pairs == [(1, 0)]
    # Where the lists share no label, labels are words like others.
    assert match_lists(model[:1], reference[:1]).pairs == [(0, 0)]


def test_the_matching_is_the_best_one_and_not_the_greedy_one() -> None:
    # Greedy takes (0, 0), the best single pair, and leaves "red kite" without a counterpart.
    model = ["red kite over the hill", "red kite"]
    reference = ["red kite over hill", "over the hill"]
    assert match_lists(model, reference).pairs == [(0, 1), (1, 0)]


def test_the_answer_to_a_task_is_complete() -> None:
    single, _ = compare(Content(form="single", model=["free ferry"], reference=["ferry"]))
    assert single == SingleAnswer(relation=Relation.MODEL_CONTAINS)
    lists, explanation = compare(
        Content(form="list", model=["ferry", "ferry"], reference=["bridge", "the ferry"])
    )
    assert lists == ListAnswer(pairs=[(1, 1)], only_model=[0], only_reference=[0])
    assert explanation["pairs"][0]["model"] == 1


WORDS = st.sampled_from(
    [
        "ferry",
        "bridge",
        "May 3, 2021",
        "May 3",
        "$5",
        "16",
        "Ada",
        "A.",
        "not",
        "the",
        "Buyer:",
        "§ 7",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=5).map(" ".join), st.text(max_size=20))


@given(TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_swapping_the_texts_swaps_the_relation(a: str, b: str) -> None:
    one, other = compare_single(a, b), compare_single(b, a)
    assert other.relation is SWAPPED[one.relation]
    assert other.explanation["score"] == one.explanation["score"]
    assert other.explanation["covered"] == one.explanation["covered"][::-1]


@given(TEXTS)
@settings(max_examples=80, deadline=None)
def test_a_text_equals_itself(text: str) -> None:
    assert compare_single(text, text).relation is EQUAL


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_swapping_the_lists_swaps_the_pairs(model: list[str], reference: list[str]) -> None:
    pairs = match_lists(model, reference).pairs
    assert match_lists(reference, model).pairs == sorted((r, m) for m, r in pairs)
    content = Content(form="list", model=model, reference=reference)
    answer, explanation = compare(content)
    check_answer(answer, content, many_to_many=False)
    json.dumps(explanation, allow_nan=False)


@given(st.lists(st.sampled_from(["ferry", "bridge", "May 3"]), min_size=1, max_size=5))
def test_a_list_matches_itself_place_by_place(values: list[str]) -> None:
    assert match_lists(values, values).pairs == [(i, i) for i in range(len(values))]


@pytest.mark.release
def test_every_released_pair_is_answered_and_explained(release_dir: Path) -> None:
    path = release_dir / "annotation_interface/checklist_comparison/data/example.json"
    pairs = json.loads(path.read_text(encoding="utf-8"))["value_pairs"]
    assert len(pairs) == 110
    for pair in pairs:
        a, b = pair["item_A"], pair["item_B"]
        content = Content(
            form="list" if pair["is_list"] else "single",
            model=a if pair["is_list"] else [a],
            reference=b if pair["is_list"] else [b],
        )
        answer, explanation = compare(content)
        check_answer(answer, content, many_to_many=False)
        json.dumps(explanation, allow_nan=False)
        if a == b and not pair["is_list"]:
            assert answer == SingleAnswer(relation=Relation.EQUAL)
