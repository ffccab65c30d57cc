"""Agreement about evidence: how much text two sets of spans share. PURE."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.text.spans import Span, united


@dataclass(frozen=True, slots=True)
class SpanOverlap:
    """Characters in both sets of spans, in the first and in the second; overlaps count once.

    ``f1`` and ``iou`` are 0..1, None when neither set marks anything.
    """

    shared: int
    first: int
    second: int

    @property
    def f1(self) -> float | None:
        """Twice the shared characters over the characters of both sets."""
        both = self.first + self.second
        return 2 * self.shared / both if both else None

    @property
    def iou(self) -> float | None:
        """Shared characters over the characters in either set."""
        either = self.first + self.second - self.shared
        return self.shared / either if either else None


def span_overlap(first: Iterable[Span], second: Iterable[Span]) -> SpanOverlap:
    """How much of the same text two annotators marked.

    ``first``, ``second``: half-open code-point offsets ``(start, end)`` into one text, in any
    order; overlapping spans of one annotator unite. Raises ValueError for a reversed span.

    >>> overlap = span_overlap([(0, 10), (20, 30)], [(5, 15), (20, 30)])
    >>> overlap.f1, overlap.iou
    (0.75, 0.6)
    """
    one, other = united(first), united(second)
    shared = i = j = 0
    while i < len(one) and j < len(other):
        shared += max(0, min(one[i][1], other[j][1]) - max(one[i][0], other[j][0]))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return SpanOverlap(shared, _length(one), _length(other))


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)
