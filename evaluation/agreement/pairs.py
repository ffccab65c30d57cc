"""Matched index pairs of one item, cleaned for counting. PURE."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from evaluation.agreement.result import Flag

Pair = tuple[int, int]
Side = int | Sequence[int]
RawPairs = Iterable[Sequence[Side]]

MOST_PAIRS = 1_000_000


class PairRepair(StrEnum):
    """What was found, or mended, in the pairs of an answer."""

    LIST_EXPANDED = "list_expanded"
    DUPLICATE = "duplicate"
    INDEX_ZERO = "index_zero"
    OUT_OF_RANGE = "out_of_range"


@dataclass(frozen=True, slots=True)
class CleanPairs:
    """Distinct pairs, and how often what was found on the way."""

    pairs: frozenset[Pair]
    repairs: Counter[PairRepair]


def clean_pairs(
    raw: RawPairs, *, first_index: int = 1, sizes: tuple[int, int] | None = None
) -> CleanPairs:
    """Distinct pairs of indices, repairs counted.

    ``raw``: pairs ``[a, b]``; a side given as a list stands for each of its indices.
    ``first_index``: where counting starts, 0 or 1. ``sizes``: how many values each side has,
    when known. Negative indices and those beyond ``sizes`` name no value: their pairs are
    dropped. A 0 where counting starts at 1 is never shifted: it is counted, and dropped only
    when ``sizes`` prove that it names no value.

    Raises ValueError when a pair has not exactly two sides, or stands for over a million pairs.

    >>> sorted(clean_pairs([[1, [1, 2]], [1, 1]]).pairs)
    [(1, 1), (1, 2)]
    """
    repairs: Counter[PairRepair] = Counter()
    pairs: set[Pair] = set()
    for entry in raw:
        if len(entry) != 2:
            raise ValueError(f"a pair has two indices, not {len(entry)}: {list(entry)}.")
        sides = [[side] if isinstance(side, int) else list(side) for side in entry]
        repairs[PairRepair.LIST_EXPANDED] += any(not isinstance(side, int) for side in entry)
        if math.prod(map(len, sides)) > MOST_PAIRS:
            raise ValueError(f"a pair of lists stands for more than {MOST_PAIRS} pairs.")
        for a, b in product(*sides):
            if _names_values((a, b), first_index, sizes, repairs):
                repairs[PairRepair.DUPLICATE] += (a, b) in pairs
                pairs.add((a, b))
    return CleanPairs(frozenset(pairs), +repairs)


def _names_values(
    pair: Pair, first_index: int, sizes: tuple[int, int] | None, repairs: Counter[PairRepair]
) -> bool:
    if first_index == 1 and min(pair) == 0:
        repairs[PairRepair.INDEX_ZERO] += 1
        return sizes is None
    beyond = sizes is not None and any(
        index >= size + first_index for index, size in zip(pair, sizes, strict=True)
    )
    if beyond or min(pair) < 0:
        repairs[PairRepair.OUT_OF_RANGE] += 1
        return False
    return True


def pair_flags(repairs: Counter[PairRepair]) -> tuple[Flag, ...]:
    """What a reader must be told of these repairs."""
    told = ((PairRepair.INDEX_ZERO, Flag.INDEX_ZERO), (PairRepair.OUT_OF_RANGE, Flag.OUT_OF_RANGE))
    return tuple(flag for repair, flag in told if repairs[repair])
