"""Which side of a comparison is the model's, where its judge spoke of A and B. PURE.

Some files of a release speak of model and reference, others of A and B. Of the latter A was drawn
anew for every cell, and the orders were not published. The rule for such a cell:

1. A judge that was shown a list of n values names exactly 1..n on that side, if it forgets and
   invents nothing. A side *fits* a list when its indices, matched and unmatched together, are
   exactly 1..n (or 0..n-1) for a list of n >= 1 values.
2. "A is the model" is supported when A fits the model's list or B fits the reference's; "A is the
   reference" when it is the other way round. A length that nobody knows supports nothing.
3. Exactly one of the two supported: that is the order, *recovered*. Both (lists of equal length)
   or neither (the judge forgot or invented values): *unknown*, and never guessed. One fit is enough
   because a second list that does not fit is a list that the judge miscounted.
4. A relation of single values has no lengths: *unknown*, whatever the lists say.
5. Where the answer is the same in either order ("equal", "different", pairs that mirror each
   other), the order is *not needed*.

Tried on cells whose order is known, with the order hidden and their own word on the length of the
reference left out, this finds the order of five in six and is not wrong once; the length of one
list alone is wrong in one of a hundred or two. A test repeats that on the public release.

The length of a reference list that is lost is taken from what judges say of it: a relation of
single values says 1, and a cell that speaks of model and reference says m when it names exactly
1..m on that side. What more than half of those who say something agree on is the length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from annotation.kinds.comparison import Side


class Orientation(StrEnum):
    """How it is known what a verdict says of model and reference; stored with the verdict."""

    KNOWN = "known"
    NOT_NEEDED = "not_needed"
    RECOVERED = "recovered"
    UNKNOWN = "unknown"


class Doubt(StrEnum):
    """Why the order of a cell cannot be recovered."""

    SINGLE = "single"
    NO_LENGTHS = "no_lengths"
    BOTH_FIT = "both_fit"
    NEITHER_FITS = "neither_fits"


DOUBTS = {
    Doubt.SINGLE: "It says which of A and B holds more, and nobody wrote down which was the model.",
    Doubt.NO_LENGTHS: "The lengths of the two lists, which could tell A from B, are not known.",
    Doubt.BOTH_FIT: "Both orders fit the lengths of the two lists.",
    Doubt.NEITHER_FITS: "Neither order fits the lengths of the two lists.",
}


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many values the two lists of a cell have; None where nobody knows.

    ``model_not_extracted``: the model's checklist is there and has no such item at all.
    """

    model: int | None = None
    reference: int | None = None
    model_not_extracted: bool = False


def covered(indices: AbstractSet[int]) -> int | None:
    """The length of the list whose indices these exactly are, counted from 1; else None.

    >>> covered({1, 2, 3}), covered({1, 3}), covered(set())
    (3, None, None)
    """
    return len(indices) if indices and indices == set(range(1, len(indices) + 1)) else None


def side_shown_first(a: AbstractSet[int], b: AbstractSet[int], lengths: Lengths) -> Side | Doubt:
    """The side that was A, recovered from the indices named on A and B; or why it cannot be."""
    if not lengths.model and not lengths.reference:
        return Doubt.NO_LENGTHS
    model_first = _fits(a, lengths.model) or _fits(b, lengths.reference)
    reference_first = _fits(b, lengths.model) or _fits(a, lengths.reference)
    if model_first is reference_first:
        return Doubt.BOTH_FIT if model_first else Doubt.NEITHER_FITS
    return Side.MODEL if model_first else Side.REFERENCE


def _fits(indices: AbstractSet[int], length: int | None) -> bool:
    if not length or len(indices) != length:
        return False
    return indices == set(range(1, length + 1)) or indices == set(range(length))


def agreed_length(claims: Iterable[int]) -> int | None:
    """What more than half of those who say something say, None if there is no such length.

    >>> agreed_length([3, 3, 4]), agreed_length([3, 4]), agreed_length([])
    (3, None, None)
    """
    counted = Counter(claims)
    return next((n for n, times in counted.items() if 2 * times > counted.total()), None)
