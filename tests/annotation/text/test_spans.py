"""Spans over a text and its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.spans import covered_words, united, words

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
