"""Tables of counts that statistics of agreement are computed from. PURE."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.agreement.ratings import MISSING, BoolArray, CodeArray, FloatArray
from evaluation.agreement.result import Flag

IntArray = npt.NDArray[np.int64]

MANY_UNITS = 2_000
MOST_KINDS = 1_000_000
MOST_CELLS = 20_000_000
LEVELS_SHOWN = 50
"""Confusion tables of larger scales are not part of a result."""


def level_counts(codes: CodeArray, n_levels: int) -> FloatArray:
    """How many raters chose each level of each unit: levels x units, from raters x units.

    Raises ValueError when the table would hold more than 20 million numbers.
    """
    n_units = codes.shape[1]
    check_size(n_units, n_levels)
    if codes.size * n_levels <= MANY_UNITS:
        return np.add.reduce(
            codes == np.arange(n_levels)[:, np.newaxis, np.newaxis], axis=1, dtype=np.float64
        )
    counts = np.empty((n_levels, n_units))
    width = np.uint8 if len(codes) < 256 else np.uint32
    for code in range(n_levels):
        counts[code] = np.add.reduce((codes == code).view(np.uint8), axis=0, dtype=width)
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class UnitCounts:
    """How often each level was chosen for each unit, equal units taken together where many.

    ``counts``: levels x kinds. ``times``: units of each kind. ``kind_of``: the kind of each unit;
    None where every unit is its own kind. ``n_ratings``: ratings of a unit of each kind.
    """

    counts: FloatArray
    times: FloatArray
    kind_of: IntArray | None
    n_ratings: FloatArray
    n_units: int
    n_raters: int

    @property
    def n_missing(self) -> int:
        """Ratings that are not there."""
        return self.n_raters * self.n_units - round(float(self.n_ratings @ self.times))

    @property
    def by_level(self) -> FloatArray:
        """Ratings at each level."""
        return self.counts @ self.times

    def number(self, chosen: BoolArray) -> int:
        """Units of the ``chosen`` kinds."""
        return round(float(chosen @ self.times))


def count_units(codes: CodeArray, n_levels: int) -> UnitCounts:
    """Counts a unit, from codes (raters x units)."""
    counts = level_counts(codes, n_levels)
    n_raters, n_units = codes.shape
    if n_units <= MANY_UNITS:
        return UnitCounts(counts, np.ones(n_units), None, counts.sum(axis=0), n_units, n_raters)
    kinds, kind_of = _kinds(counts, n_raters)
    times = np.bincount(kind_of, minlength=kinds.shape[1]).astype(np.float64)
    return UnitCounts(kinds, times, kind_of, kinds.sum(axis=0), n_units, n_raters)


def _kinds(counts: FloatArray, n_raters: int) -> tuple[FloatArray, IntArray]:
    """The different columns of counts, and which of them each unit has."""
    base, n_levels = n_raters + 1, len(counts)
    if n_levels * math.log(base) > math.log(MOST_KINDS):
        rows, kind_of = distinct_rows(counts.T)
        return np.ascontiguousarray(rows.T), kind_of
    # few enough combinations to number them: the counts are the digits of the number
    digits = base ** np.arange(n_levels)
    number = (digits.astype(np.float64) @ counts).astype(np.int64)
    occurs = np.zeros(base**n_levels, dtype=np.bool_)
    occurs[number] = True
    present = np.flatnonzero(occurs)
    place = np.empty(len(occurs), dtype=np.int64)
    place[present] = np.arange(len(present))
    kinds = (present // digits[:, np.newaxis] % base).astype(np.float64)
    return kinds, place[number]


def distinct_rows(rows: FloatArray) -> tuple[FloatArray, IntArray]:
    """The different rows, and which of them each row is.

    Equal rows may by chance stay apart; different rows are never joined.
    """
    mix = np.random.default_rng(0).random(rows.shape[1])
    _, first, kind_of = np.unique(rows @ mix, return_index=True, return_inverse=True)
    kinds = rows[first]
    if not np.array_equal(kinds[kind_of], rows):
        return rows, np.arange(len(rows))
    return kinds, kind_of


def confusion(a: CodeArray, b: CodeArray, n_levels: int) -> FloatArray:
    """Flat levels of a x levels of b: units with each combination; missing ones left out."""
    counts = np.bincount(confusion_cells(a, b, n_levels), minlength=n_levels**2 + 1)
    return counts[:-1].astype(np.float64)


def one_cell_each(cells: IntArray, n_cells: int) -> tuple[FloatArray, IntArray, BoolArray]:
    """Units that add 1 to one cell of a table: rows of the kinds that occur, the kind of each unit,
    and which kinds add anything at all.

    ``cells``: the cell of each unit, ``n_cells`` for a unit that adds nothing. Raises
    ValueError when the rows would hold more than 20 million numbers.
    """
    present, kind_of = np.unique(cells, return_inverse=True)
    check_size(len(present), n_cells)
    rows = np.zeros((len(present), n_cells + 1))
    rows[np.arange(len(present)), present] = 1.0
    return rows[:, :n_cells], kind_of, present < n_cells


def check_size(n_rows: int, n_columns: int) -> None:
    """Raise ValueError when a table would hold more than 20 million numbers."""
    if n_rows * n_columns > MOST_CELLS:
        raise ValueError(
            f"A table of {n_rows} times {n_columns} counts is too large: use a scale with fewer "
            "levels."
        )


def confusion_cells(a: CodeArray, b: CodeArray, n_levels: int) -> IntArray:
    """The cell (level of a, level of b) of each unit, the number of cells if one is missing."""
    cells = a.astype(np.int64) * n_levels + b
    cells[(a == MISSING) | (b == MISSING)] = n_levels**2
    return cells


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """``part / whole``, NaN where ``whole`` is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def mean_of_defined(values: FloatArray) -> FloatArray:
    """Mean over the last axis of what is not NaN; NaN where nothing is left."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1))


def prevalence_flags(by_level: FloatArray) -> tuple[Flag, ...]:
    """The flag for labels of which one holds more than 90 %, from the ratings at each level."""
    numbers = by_level.tolist()
    skewed = numbers and max(numbers) > 0.9 * sum(numbers)
    return (Flag.PREVALENCE_ABOVE_90,) if skewed else ()
