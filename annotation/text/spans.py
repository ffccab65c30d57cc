"""Sets of spans over one text: united, laid over its words. PURE.

A span is ``(start, end)``, code points, half-open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
