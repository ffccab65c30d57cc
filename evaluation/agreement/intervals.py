"""Confidence intervals by case. PURE.

All units of a case (its items, models, judges, annotators) move together: a case is left out or
drawn as a whole. The default at every size is the delete-one-case jackknife with a t quantile on
n_cases - 1 degrees of freedom; percentile and BCa bootstrap are there on request. Efron 1987;
Cameron, Gelbach and Miller 2008; Miller arXiv:2411.00640.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit

from evaluation.agreement import resampling
from evaluation.agreement.ratings import BoolArray, FloatArray
from evaluation.agreement.resampling import IntArray, Statistic
from evaluation.agreement.result import NO_INTERVAL, Flag, Interval, Method, Reason

Clusters = Sequence[Hashable] | npt.NDArray[np.generic]
Range = tuple[float | None, float | None]

FEWEST_CASES = 5
FEW_CASES = 10
DRAWS = 9_999
UNIT_RANGE: Range = (0.0, 1.0)
CHANCE_CORRECTED: Range = (None, 1.0)
ANY: Range = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How an interval is made.

    ``method``: None means the default of the statistic (``jackknife_t``, or Wilson for accuracy
    with one unit a case). ``draws`` and ``seed`` are for the bootstrap methods: 9,999 draws for
    a saved result, 1,999 while browsing. ``confidence``: 0..1, exclusive.
    """

    method: Method | None = None
    draws: int = DRAWS
    seed: int = 0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0.0 < self.confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, not {self.confidence}.")
        if self.draws < 1:
            raise ValueError(f"draws must be at least 1, not {self.draws}.")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}.")


DEFAULT = Resampling()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooled:
    """A statistic of sums over units.

    ``rows``: units x terms, what each unit adds to the sums. ``statistic``: sums -> value.
    ``used``: which units enter at all (None: all); a case without any such unit is no case.
    ``within``: the range of the statistic, at which intervals are cut.
    """

    rows: FloatArray
    statistic: Statistic
    used: BoolArray | None = None
    within: Range = ANY

    def value(self) -> float | None:
        """The value over all units; None when it is undefined."""
        value = float(self.statistic(self.rows.sum(axis=0)))
        return None if math.isnan(value) else value

    def interval(self, clusters: Clusters, how: Resampling = DEFAULT) -> Interval:
        """The interval by case; ``clusters`` names the case of every unit.

        Raises ValueError when ``clusters`` is not one id a unit.
        """
        check_clusters(clusters, len(self.rows))
        rows, case_of = self.rows, case_indices(clusters)
        if self.used is not None and not self.used.all():
            rows, case_of = rows[self.used], case_of[self.used]
            case_of = np.unique(case_of, return_inverse=True)[1]
        totals = sums_by_case(rows, case_of)
        interval = interval_over_cases(totals, self.statistic, how, within=self.within)
        if interval.low is None:
            return interval
        return replace(interval, design_effect=design_effect(rows, totals, self.statistic))


def joined(parts: Sequence[Pooled], combine: Callable[[FloatArray], FloatArray]) -> Pooled:
    """One statistic made of several on the same units: ``combine`` turns (..., parts) into (...).

    All parts are drawn with the same cases, so a difference or a mean of them has a paired
    interval.
    """
    edges = np.cumsum([0] + [part.rows.shape[1] for part in parts])

    def statistic(sums: FloatArray) -> FloatArray:
        values = [
            part.statistic(sums[..., start:stop])
            for part, start, stop in zip(parts, edges[:-1], edges[1:], strict=True)
        ]
        return combine(np.stack(values, axis=-1))

    used = np.zeros(len(parts[0].rows), dtype=np.bool_)
    for part in parts:
        used |= True if part.used is None else part.used
    return Pooled(
        rows=np.hstack([part.rows for part in parts]),
        statistic=statistic,
        used=used,
        within=parts[0].within,
    )


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


def sums_by_case(rows: FloatArray, case_of: IntArray) -> FloatArray:
    """Cases x terms: the rows (units x terms) of each case added up."""
    if not len(rows):
        return np.zeros((0, rows.shape[1]))
    order = np.argsort(case_of, kind="stable")
    ordered = case_of[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    if len(starts) == len(rows):
        return rows[order]
    return np.add.reduceat(rows[order], starts, axis=0)


def interval_over_cases(
    totals: FloatArray, statistic: Statistic, how: Resampling = DEFAULT, *, within: Range = ANY
) -> Interval:
    """An interval from one row of sums a case.

    ``totals``: cases x terms. Fewer than 5 cases give no interval (``too_few_cases``), fewer than
    10 a flagged one. No interval either when the value is undefined, when leaving one case out
    leaves it undefined or never changes it (``degenerate_jackknife``), when more than 10 % of
    the bootstrap replicates are undefined or all are equal (``degenerate_bootstrap``); more than
    1 % undefined is flagged.
    """
    method = how.method or Method.JACKKNIFE_T
    n_cases = len(totals)
    base = Interval(method=method, confidence=how.confidence, n_cases=n_cases)
    if n_cases < FEWEST_CASES:
        return replace(base, reason=Reason.TOO_FEW_CASES)
    value = float(statistic(totals.sum(axis=0)))
    if math.isnan(value):
        return replace(base, reason=Reason.UNDEFINED_VALUE)
    if n_cases < FEW_CASES:
        base = replace(base, flags=(Flag.FEW_CASES,))
    left_out = resampling.leave_one_out(totals, statistic)
    match method:
        case Method.JACKKNIFE_T:
            interval = _jackknife_t(base, value, left_out)
        case Method.PERCENTILE | Method.BCA:
            replicates = resampling.bootstrap(totals, statistic, draws=how.draws, seed=how.seed)
            base = replace(base, draws=how.draws, seed=how.seed, se=_se(left_out))
            interval = bootstrap_interval(base, value, left_out, replicates)
        case _:
            raise ValueError(f"{method} is not a method for intervals by case.")
    return _cut(interval, within)


def interval_by_index(
    n_cases: int, statistic: Callable[[IntArray], float], how: Resampling = DEFAULT
) -> Interval:
    """An interval for a statistic that is no function of sums (a rank correlation, say).

    ``statistic`` takes the indices of the cases in a sample, repeated as drawn, and returns the
    value, NaN when it is undefined. It is called once a replicate: slow for many draws. The rules
    and, for one seed, the resamples are those of :func:`interval_over_cases`.
    """
    identity = np.eye(n_cases)

    def of_counts(counts: FloatArray) -> FloatArray:
        flat = np.rint(counts.reshape(-1, n_cases)).astype(np.int64)
        cases = np.arange(n_cases)
        values = np.array([statistic(np.repeat(cases, row)) for row in flat])
        return values.reshape(counts.shape[:-1])

    return interval_over_cases(identity, of_counts, how)


def _se(left_out: FloatArray) -> float | None:
    return None if np.isnan(left_out).any() else resampling.jackknife_se(left_out)


def _jackknife_t(base: Interval, value: float, left_out: FloatArray) -> Interval:
    n_undefined = int(np.isnan(left_out).sum())
    se = _se(left_out)
    if se is None or se <= 1e-12:
        return replace(base, n_undefined=n_undefined, reason=Reason.DEGENERATE_JACKKNIFE)
    reach = se * float(stdtrit(len(left_out) - 1, 0.5 + base.confidence / 2))
    return replace(base, low=value - reach, high=value + reach, se=se)


def bootstrap_interval(
    base: Interval, value: float, left_out: FloatArray, replicates: FloatArray
) -> Interval:
    """``base`` with the limits that ``replicates`` give, percentile or BCa by ``base.method``."""
    defined = replicates[~np.isnan(replicates)]
    n_undefined = len(replicates) - len(defined)
    base = replace(base, n_undefined=n_undefined)
    none = replace(base, reason=Reason.DEGENERATE_BOOTSTRAP)
    if n_undefined > 0.10 * len(replicates) or np.ptp(defined) <= 1e-12:
        return none
    if n_undefined > 0.01 * len(replicates):
        base = replace(base, flags=(*base.flags, Flag.UNDEFINED_REPLICATES))
    tail = (1.0 - base.confidence) / 2
    shares = np.array([tail, 1.0 - tail])
    if base.method is Method.BCA:
        z0, accel = bias_correction(defined, value), resampling.acceleration(left_out)
        if not (math.isfinite(z0) and math.isfinite(accel)):
            return none
        shifted = z0 + ndtri(shares)
        shares = ndtr(z0 + shifted / (1.0 - accel * shifted))
        base = replace(base, z0=z0, acceleration=accel)
    low, high = np.quantile(defined, shares)
    return replace(base, low=float(low), high=float(high))


def bias_correction(
    replicates: FloatArray, value: float, probabilities: FloatArray | None = None
) -> float:
    """Efron's z0: the normal quantile of the share of replicates below the value, ties half.

    ``probabilities``: weights of the replicates (equal by default). Infinite when no replicate,
    or every one, lies below.
    """
    if probabilities is None:
        probabilities = np.full(len(replicates), 1.0 / len(replicates))
    return float(ndtri(resampling.share_below(replicates, value, probabilities)))


def _cut(interval: Interval, within: Range) -> Interval:
    if interval.low is None or interval.high is None:
        return interval
    floor, ceiling = within
    low = interval.low if floor is None else max(floor, interval.low)
    high = interval.high if ceiling is None else min(ceiling, interval.high)
    if (low, high) == (interval.low, interval.high):
        return interval
    return replace(interval, low=low, high=high, flags=(*interval.flags, Flag.CUT_TO_RANGE))


def design_effect(rows: FloatArray, totals: FloatArray, statistic: Statistic) -> float | None:
    """Jackknife variance by case over jackknife variance by unit.

    1 when every unit is its own case; above 1 when units of a case resemble each other. None
    when either variance is undefined or 0.
    """
    if len(rows) == len(totals):
        return 1.0
    distinct, counts = resampling.distinct_rows(rows)
    # units that add the same leave the same rest: compute it once
    by_unit = resampling.leave_one_out(distinct, statistic, rows.sum(axis=0))
    by_case = resampling.leave_one_out(totals, statistic)
    if np.isnan(by_unit).any() or np.isnan(by_case).any():
        return None
    unit_se = resampling.jackknife_se(by_unit, counts)
    if unit_se <= 1e-12:
        return None
    return (resampling.jackknife_se(by_case) / unit_se) ** 2


def interval_if_asked(pooled: Pooled, clusters: Clusters | None, how: Resampling) -> Interval:
    """The interval by case when ``clusters`` are given, otherwise the empty one."""
    return NO_INTERVAL if clusters is None else pooled.interval(clusters, how)
