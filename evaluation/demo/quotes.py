"""Quotes of a text -> spans with offsets; a quote in doubt is refused. PURE."""

from __future__ import annotations

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span

GAP = " [...] "
"""Stands in a quote for whatever the paragraph says between its first and its last words."""


def locate(text: str, quote: str, occurrence: int | None = None) -> Span:
    """Where ``text`` holds ``quote``, as half-open code-point offsets with the whole quote.

    Without ``occurrence`` the quote must stand in the text exactly once. With it, the
    ``occurrence``-th place from the start is meant (1 = first; places may overlap). A quote
    ``"first words [...] last words"`` reaches from its first words to the nearest last words
    after them, in the same paragraph line; the first words alone decide how often it occurs.

    Raises ``InvalidInput`` when the quote is empty, does not occur, occurs several times without
    ``occurrence``, occurs fewer times than that, or has no such end.
    """
    head, gap, tail = quote.partition(GAP)
    if not head or (gap and not tail):
        raise InvalidInput(f'"{quote}": a quote needs words, also on both sides of "[...]".')
    starts = _occurrences(text, head)
    start = _choose(starts, quote, occurrence)
    end = start + len(head)
    if gap:
        line_end = text.find("\n", end)
        found = text.find(tail, end, line_end if line_end >= 0 else len(text))
        if found < 0:
            raise InvalidInput(f'"{quote}": the last words do not follow in the same paragraph.')
        end = found + len(tail)
    return Span(start=start, end=end, quote=text[start:end])


def _choose(starts: list[int], quote: str, occurrence: int | None) -> int:
    if not starts:
        raise InvalidInput(f'"{quote}" does not stand in the text.')
    if occurrence is None:
        if len(starts) > 1:
            raise InvalidInput(
                f'"{quote}" stands {len(starts)} times in the text; say which "occurrence".'
            )
        return starts[0]
    if not 1 <= occurrence <= len(starts):
        raise InvalidInput(
            f'"{quote}" stands {len(starts)} times in the text; there is no {occurrence}.'
        )
    return starts[occurrence - 1]


def _occurrences(text: str, words: str) -> list[int]:
    found: list[int] = []
    start = text.find(words)
    while start >= 0:
        found.append(start)
        start = text.find(words, start + 1)
    return found
