"""Words of one text only are found, and no character is lost."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.text.word_difference import Piece, word_difference


def own(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if not piece.shared]


def test_words_that_stand_in_one_text_only_are_marked() -> None:
    one, other = word_difference(
        "July 18, 2025: order denying relief", "July 21, 2025: the court denied relief"
    )
    assert own(one) == ["18", "order denying"]
    assert own(other) == ["21", "the court denied"]


def test_case_typography_and_punctuation_are_no_difference() -> None:
    one, other = word_difference("The County\u2019s\u00a0plan.", "the county's plan")
    assert own(one) == own(other) == []


def test_texts_without_a_common_word_are_marked_whole() -> None:
    one, other = word_difference("alpha beta", "gamma")
    assert own(one) == ["alpha beta"]
    assert own(other) == ["gamma"]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_of_a_side_are_its_text(one: str, other: str) -> None:
    for text, pieces in zip((one, other), word_difference(one, other), strict=True):
        assert "".join(piece.text for piece in pieces) == text
    assert own(word_difference(one, one)[0]) == []
