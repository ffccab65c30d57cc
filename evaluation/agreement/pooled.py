"""Statistics that depend on units only through sums, and their intervals by case. PURE."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evaluation.agreement import resampling
from evaluation.agreement.intervals import ANY, DEFAULT, Range, Resampling, interval_over_cases
from evaluation.agreement.ratings import BoolArray, FloatArray
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import NO_INTERVAL, Interval
from evaluation.agreement.tables import IntArray, distinct_rows

Clusters = Sequence[Hashable] | npt.NDArray[np.generic]

MANY_CASES = 10_000
CELLS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooled:
    """A statistic of sums over units.

    ``rows``: what each unit adds to the sums, units x terms; or, with ``kind_of``, what each kind
    of unit adds, kinds x terms, and the kind of every unit. ``statistic``: sums -> value.
    ``used``: which rows stand for units that enter at all (None: all); a case without any such
    unit is no case. ``within``: the range of the statistic, at which intervals are cut.
    """

    rows: FloatArray
    statistic: Statistic
    kind_of: IntArray | None = None
    used: BoolArray | None = None
    within: Range = ANY

    @property
    def n_units(self) -> int:
        """Units, whether they enter or not."""
        return len(self.rows) if self.kind_of is None else len(self.kind_of)

    def _kind_of_units(self) -> IntArray:
        return np.arange(len(self.rows)) if self.kind_of is None else self.kind_of

    def sums(self) -> FloatArray:
        """What all units add up to."""
        if self.kind_of is None:
            return np.asarray(self.rows.sum(axis=0))
        return np.asarray(np.bincount(self.kind_of, minlength=len(self.rows)) @ self.rows)

    def value(self) -> float | None:
        """The value over all units; None when it is undefined."""
        value = float(self.statistic(self.sums()))
        return None if math.isnan(value) else value

    def interval(self, clusters: Clusters, how: Resampling = DEFAULT) -> Interval:
        """The interval by case; ``clusters`` names the case of every unit.

        Raises ValueError when ``clusters`` is not one id a unit.
        """
        check_clusters(clusters, self.n_units)
        kind_of = self._kind_of_units()
        case_of = case_indices(clusters)
        if self.used is not None and not self.used.all():
            entering = self.used[kind_of]
            kind_of = kind_of[entering]
            case_of = np.unique(case_of[entering], return_inverse=True)[1]
        n_cases = int(case_of.max(initial=-1)) + 1
        one_unit_each = n_cases == len(case_of)
        n_of_kind = np.bincount(kind_of, minlength=len(self.rows))
        units, n_of_kind = self.rows[n_of_kind > 0], n_of_kind[n_of_kind > 0]
        counts: IntArray | None = n_of_kind
        cases = units
        if not one_unit_each or n_cases <= MANY_CASES:
            totals = sums_by_case(self.rows, kind_of, case_of, n_cases)
            cases, counts = _shared_if_many(totals)
        interval = interval_over_cases(
            cases, self.statistic, how, counts=counts, within=self.within
        )
        if interval.low is None:
            return interval
        effect = 1.0 if one_unit_each else design_effect(units, n_of_kind, interval, self.statistic)
        return replace(interval, design_effect=effect)


def joined(parts: Sequence[Pooled], combine: Callable[[FloatArray], FloatArray]) -> Pooled:
    """One statistic made of several on the same units: ``combine`` turns (..., parts) into (...).

    All parts are drawn with the same cases, so a difference or a mean of them has a paired
    interval. The range is that of the first part.
    """
    edges = np.cumsum([0] + [part.rows.shape[1] for part in parts])

    def statistic(sums: FloatArray) -> FloatArray:
        values = [
            part.statistic(sums[..., start:stop])
            for part, start, stop in zip(parts, edges[:-1], edges[1:], strict=True)
        ]
        return combine(np.stack(values, axis=-1))

    used = np.zeros(parts[0].n_units, dtype=np.bool_)
    by_unit = []
    for part in parts:
        kind_of = part.kind_of if part.kind_of is not None else np.arange(part.n_units)
        by_unit.append(part.rows[kind_of])
        used |= True if part.used is None else part.used[kind_of]
    return Pooled(rows=np.hstack(by_unit), statistic=statistic, used=used, within=parts[0].within)


def interval_if_asked(pooled: Pooled, clusters: Clusters | None, how: Resampling) -> Interval:
    """The interval by case when ``clusters`` are given, otherwise the empty one."""
    return NO_INTERVAL if clusters is None else pooled.interval(clusters, how)


def check_clusters(clusters: Clusters, n_units: int) -> None:
    """Raise ValueError unless there is one cluster id a unit."""
    if len(clusters) != n_units:
        raise ValueError(
            f"clusters has {len(clusters)} ids for {n_units} units; give the case of every unit."
        )


def case_indices(clusters: Clusters) -> IntArray:
    """The 0-based case of every unit. Cases are sorted by id, so the order of units is free."""
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind in "iuUS":
        return np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    ids = clusters.tolist() if isinstance(clusters, np.ndarray) else list(clusters)
    distinct = sorted(set(ids), key=_id_order)
    place = {case: index for index, case in enumerate(distinct)}
    return np.fromiter((place[case] for case in ids), dtype=np.int64, count=len(ids))


def _id_order(case: Hashable) -> tuple[str, float, str]:
    if isinstance(case, int | float):
        return ("", float(case), "")
    return (type(case).__name__, 0.0, str(case))


def sums_by_case(
    rows: FloatArray, kind_of: IntArray, case_of: IntArray, n_cases: int
) -> FloatArray:
    """Cases x terms: the rows (kinds x terms) of the units of each case added up."""
    if n_cases * len(rows) <= CELLS:
        cells = np.bincount(case_of * len(rows) + kind_of, minlength=n_cases * len(rows))
        return np.asarray(cells.reshape(n_cases, len(rows)) @ rows)
    order = np.argsort(case_of, kind="stable")
    ordered = case_of[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    return np.add.reduceat(rows[kind_of[order]], starts, axis=0)


def _shared_if_many(cases: FloatArray) -> tuple[FloatArray, IntArray | None]:
    if len(cases) <= MANY_CASES:
        return cases, None
    kinds, kind_of = distinct_rows(cases)
    return kinds, np.bincount(kind_of)


def design_effect(
    units: FloatArray, n_of_kind: IntArray, by_case: Interval, statistic: Statistic
) -> float | None:
    """Jackknife variance by case over jackknife variance by unit.

    1 when every unit is its own case; above 1 when units of a case resemble each other. None
    when either variance is undefined or 0. ``units``: kinds of units x terms.
    """
    left_out = resampling.leave_one_out(units, statistic, n_of_kind @ units)
    if by_case.se is None or np.isnan(left_out).any():
        return None
    se = resampling.jackknife_se(left_out, n_of_kind)
    return (by_case.se / se) ** 2 if se > 1e-12 else None
