"""Sets of spans over one text: united, laid over its words. PURE.

A span is ``(start, end)``, code points, half-open.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from annotation.text.sentences import sentences, trimmed

Span = tuple[int, int]

_WORD = re.compile(r"\S+")


def united(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping and touching ones joined, empty ones left out.

    Raises ValueError for a reversed span.
    """
    joined: list[Span] = []
    for start, end in sorted(spans):
        if end < start:
            raise ValueError(f"a span ends before it starts: [{start}, {end}).")
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif start < end:
            joined.append((start, end))
    return joined


def words(text: str) -> list[Span]:
    r"""Where the words of ``text`` stand: longest runs without white space (``\S+``)."""
    return [match.span() for match in _WORD.finditer(text)]


def covered_words(in_text: Sequence[Span], spans: Iterable[Span]) -> list[int]:
    """For each word of ``in_text`` (as :func:`words` gives them) 1 if any span overlaps it, else 0.

    Raises ValueError for a reversed span.

    >>> covered_words(words("It was filed"), [(1, 4)])
    [1, 1, 0]
    """
    areas = united(spans)
    flags: list[int] = []
    at = 0
    for start, end in in_text:
        while at < len(areas) and areas[at][1] <= start:
            at += 1
        flags.append(int(at < len(areas) and areas[at][0] < end))
    return flags


def coverage(text: str, spans: Iterable[Span]) -> float | None:
    """Share of the words of ``text`` that spans cover, 0..1; None for a text without words.

    >>> coverage("It was filed today", [(1, 4)])
    0.5
    """
    covered = covered_words(words(text), spans)
    return sum(covered) / len(covered) if covered else None


def cut(text: str, *sets: Iterable[Span]) -> list[tuple[str, tuple[bool, ...]]]:
    """``text`` in pieces, cut wherever a span of any set begins or ends.

    Each piece comes with whether the first set covers it, the second, ...; the pieces joined are
    the text. Raises ValueError for a reversed span.

    >>> cut("abcd", [(0, 2)], [(1, 3)])
    [('a', (True, False)), ('b', (True, True)), ('c', (False, True)), ('d', (False, False))]
    """
    areas = [united(spans) for spans in sets]
    cuts = sorted({0, len(text), *(edge for own in areas for span in own for edge in span)})
    # Within a piece nothing begins or ends, so touching it is covering it.
    covered = [covered_words(list(pairwise(cuts)), own) for own in areas]
    return [
        (text[start:end], tuple(bool(flags[place]) for flags in covered))
        for place, (start, end) in enumerate(pairwise(cuts))
    ]


def uncovered(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    """What spans leave of ``[start, end)``: in order, never empty.

    >>> uncovered([(2, 4), (4, 6), (9, 20)], 0, 10)
    [(0, 2), (6, 9)]
    """
    inside = [(max(start, low), min(end, high)) for low, high in united(spans)]
    borders = [(start, start), *(span for span in inside if span[0] < span[1]), (end, end)]
    return [(before[1], after[0]) for before, after in pairwise(borders) if before[1] < after[0]]


def uncovered_pieces(text: str, spans: Iterable[Span]) -> list[list[Span]]:
    """What spans leave of each sentence of ``text``: a list a sentence, without blanks at the ends.

    A piece may be part of a word, or punctuation only; what is worth keeping is for the caller to
    say.

    >>> uncovered_pieces("It rained. It snowed hard.", [(0, 10), (14, 20)])
    [[], [(11, 13), (21, 26)]]
    """
    areas = united(spans)
    starts = [start for start, _ in areas]
    found = []
    for start, end in sentences(text):
        # Only the areas that can touch this sentence, or a long text would take its square.
        first = max(0, bisect_right(starts, start) - 1)
        inside = areas[first : bisect_left(starts, end)]
        pieces = (trimmed(text, *piece) for piece in uncovered(inside, start, end))
        found.append([piece for piece in pieces if piece[0] < piece[1]])
    return found
