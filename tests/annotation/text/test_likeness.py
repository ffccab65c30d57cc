"""Likely counterparts first: shared facts before shared words, ties as they came."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.text.likeness import Suggestion, likeness_orders, suggestions


def test_a_shared_date_or_amount_outweighs_shared_words() -> None:
    orders = likeness_orders(
        ["On May 3, 2022 the court denied the motion.", "A fine of $500 a day was set."],
        [
            "The court denied the motion of the county.",
            "May 3, 2022: motion refused",
            "The county pays $500 daily",
        ],
    )
    assert [order[0] for order in orders] == [1, 2]


def test_without_shared_facts_the_words_decide_and_ties_keep_their_order() -> None:
    assert likeness_orders(["breach of contract"], ["fraud", "contract breach", "zeal"])[0][0] == 1
    assert likeness_orders(["x"], ["qq", "qq", "qq"]) == [[0, 1, 2]]


def test_typography_and_case_make_no_difference() -> None:
    curly = "\u201cOkafor\u00a0v. Marlow\u201d"
    assert likeness_orders([curly], ["something", '"OKAFOR V. MARLOW"'])[0] == [1, 0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=4), st.lists(st.text(max_size=30), max_size=5))
def test_each_order_names_every_place_once(lefts: list[str], rights: list[str]) -> None:
    orders = likeness_orders(lefts, rights)
    assert len(orders) == len(lefts)
    assert all(sorted(order) == list(range(len(rights))) for order in orders)
    assert orders == likeness_orders(lefts, rights)


@pytest.mark.parametrize(
    ("left", "right", "because"),
    [
        ("May 1, 2020: entered", "Entered on 1 May 2020", "same date"),
        ("pays $1.2 million", "a payment of $1,200,000", "same amount"),
        ("No. 1:20-cv-00123", "docket 1:20-cv-00123", "same number of a case or citation"),
        ("ruling by Judge Ada Moreno", "Moreno, Ada decided", "same name"),
        ("keep a nurse on site", "keep a nurse on the site", "similar words"),
    ],
)
def test_a_suggestion_says_what_is_shared(left: str, right: str, because: str) -> None:
    found = suggestions([left], ["nothing of the kind", right])
    assert found == [Suggestion(0, 1, because)]


def test_nothing_in_common_or_two_equal_candidates_suggest_nothing() -> None:
    assert suggestions(["a bed for everyone"], ["the monitor resigned"]) == []
    assert suggestions(["May 1, 2020"], ["May 1, 2020", "May 1, 2020"]) == []
    assert suggestions([], ["x"]) == []
    assert suggestions(["x"], []) == []
