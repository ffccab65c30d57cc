"""Quotes are located exactly, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.errors import InvalidInput
from evaluation.demo.quotes import GAP, locate

TEXT = "The court ruled.\n\nThe court of 𝒜ppeals ruled “no”. The end."


def test_a_quote_is_located_in_code_points() -> None:
    span = locate(TEXT, "𝒜ppeals ruled “no”")
    assert (span.start, span.end) == (31, 49)
    assert TEXT[31:49] == span.quote == "𝒜ppeals ruled “no”"


def test_first_and_last_words_reach_over_what_stands_between() -> None:
    assert locate(TEXT, "The court of [...] “no”.").quote == "The court of 𝒜ppeals ruled “no”."


def test_the_nearest_last_words_are_meant() -> None:
    assert locate("a b x. c x.", "a [...] x.").quote == "a b x."


@pytest.mark.parametrize(
    ("quote", "occurrence", "message"),
    [
        ("The jury", None, "does not stand in the text"),
        ("the end", None, "does not stand in the text"),
        ("The court", None, "stands 2 times"),
        ("The court", 3, "there is no 3"),
        ("The court", 0, "there is no 0"),
        ("", None, "needs words"),
        ("The end [...] ", None, "needs words"),
        (" [...] The end", None, "needs words"),
        ("The court of [...] jury", None, "do not follow"),
        ("The end. [...] The court", None, "do not follow"),
    ],
)
def test_a_quote_in_doubt_is_refused(quote: str, occurrence: int | None, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        locate(TEXT, quote, occurrence)


def test_a_quote_does_not_reach_into_the_next_paragraph() -> None:
    with pytest.raises(InvalidInput, match="same paragraph"):
        locate("It began\nand ended.", "It began [...] ended.")


def test_occurrence_counts_places_that_overlap() -> None:
    assert [locate("aaaa", "aa", n).start for n in (1, 2, 3)] == [0, 1, 2]
    assert locate(TEXT, "The court", 2).start == 18


@settings(max_examples=60)
@given(st.text("ab\n 𝒜", min_size=1, max_size=30), st.data())
def test_every_slice_is_found_at_its_place(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    quote = text[start:end]
    places = [at for at in range(len(text)) if text.startswith(quote, at)]
    span = locate(text, quote, places.index(start) + 1)
    assert (span.start, span.end, span.quote) == (start, end, quote)
    if len(places) == 1:
        assert locate(text, quote) == span


@settings(max_examples=60)
@given(
    st.text("abc", min_size=1, max_size=5),
    st.text("xyz ", max_size=8),
    st.text("def", min_size=1, max_size=5),
)
def test_a_gap_covers_all_between(first: str, middle: str, last: str) -> None:
    text = f"{first}{middle}{last}"
    assert locate(f"- {text} -", f"{first}{GAP}{last}").quote == text
