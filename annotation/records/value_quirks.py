"""What is unusual about a value and its spans, counted: all of it is kept as it is. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise


def count_quirks(
    text: str,
    offsets: Sequence[tuple[int, int]],
    quotes: Sequence[str],
    repairs: Counter[str],
) -> None:
    """Count the quirks of one value, with the quotes at its offsets, in ``repairs``.

    ``values_outer_blanks``, ``values_line_breaks``, ``values_without_evidence``,
    ``values_spans_unsorted``, ``values_spans_overlapping``, ``values_spans_duplicate``,
    ``spans_outer_blanks``.
    """
    distinct = sorted(set(offsets))
    quirks = {
        "values_outer_blanks": text != text.strip(),
        "values_line_breaks": "\n" in text,
        "values_without_evidence": not offsets,
        "values_spans_unsorted": list(offsets) != sorted(offsets),
        "values_spans_duplicate": len(distinct) != len(offsets),
        "values_spans_overlapping": any(b[0] < a[1] for a, b in pairwise(distinct)),
        "spans_outer_blanks": sum(quote != quote.strip() for quote in quotes),
    }
    repairs.update({kind: int(count) for kind, count in quirks.items() if count})
