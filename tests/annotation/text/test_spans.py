"""Spans over a text and its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.spans import (
    coverage,
    covered_words,
    uncovered,
    uncovered_pieces,
    united,
    words,
)

TEXT = "It was filed.\nThe\u00a0court ruled"


def test_words_are_runs_without_white_space() -> None:
    assert [TEXT[s:e] for s, e in words(TEXT)] == ["It", "was", "filed.", "The", "court", "ruled"]
    assert words("  ") == []


@pytest.mark.parametrize(
    ("spans", "flags"),
    [
        ([], [0, 0, 0, 0, 0, 0]),
        ([(0, 2)], [1, 0, 0, 0, 0, 0]),
        ([(2, 3)], [0, 0, 0, 0, 0, 0]),  # a blank belongs to no word
        ([(12, 13)], [0, 0, 1, 0, 0, 0]),  # one letter is enough
        ([(18, 27), (1, 4)], [1, 1, 0, 0, 1, 1]),
    ],
)
def test_a_word_is_covered_when_any_span_touches_it(
    spans: list[tuple[int, int]], flags: list[int]
) -> None:
    assert covered_words(words(TEXT), spans) == flags


texts = st.text(alphabet=st.sampled_from("ab \n\u00a0\U0001f600"), max_size=40)
spans_of = st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)).map(sorted).map(tuple))


@given(texts, spans_of)
def test_the_same_as_letter_by_letter(text: str, spans: list[tuple[int, int]]) -> None:
    letters = {place for start, end in spans for place in range(start, end)}
    expected = [int(any(place in letters for place in range(s, e))) for s, e in words(text)]
    assert covered_words(words(text), spans) == expected
    assert {p for s, e in united(spans) for p in range(s, e)} == letters


def test_coverage_is_a_share_of_words() -> None:
    assert coverage("", [(0, 3)]) is None
    assert coverage(TEXT, []) == 0
    assert coverage(TEXT, [(4, 5), (0, 1), (4, 7)]) == 2 / 6
    assert coverage(TEXT, [(0, len(TEXT))]) == 1


def test_what_evidence_leaves_of_each_sentence() -> None:
    text = "It was filed. The court ruled, and it ended.\n\nNobody appealed."
    left = uncovered_pieces(text, [(14, 29), (37, 50)])
    assert [[text[s:e] for s, e in pieces] for pieces in left] == [
        ["It was filed."],
        [", and it"],
        ["dy appealed."],
    ]


@given(texts, spans_of)
def test_what_is_left_is_what_no_span_touches(text: str, spans: list[tuple[int, int]]) -> None:
    letters = {place for start, end in spans for place in range(start, end)}
    left = {place for start, end in uncovered(spans, 0, len(text)) for place in range(start, end)}
    assert left == set(range(len(text))) - letters
    pieces = [piece for sentence in uncovered_pieces(text, spans) for piece in sentence]
    assert {place for s, e in pieces for place in range(s, e) if not text[place].isspace()} == {
        place for place in left if not text[place].isspace()
    }
    assert all(not text[s].isspace() and not text[e - 1].isspace() for s, e in pieces)
