"""Confidence intervals by case. PURE.

All units of a case (its items, models, judges, annotators) move together: a case is left out or
drawn as a whole. The default at every size is the delete-one-case jackknife with a t quantile on
n_cases - 1 degrees of freedom; percentile and BCa bootstrap are there on request. Efron 1987;
Cameron, Gelbach and Miller 2008; Miller arXiv:2411.00640.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from evaluation.agreement import resampling
from evaluation.agreement.quantiles import normal_quantile, normal_share, t_quantile
from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import Flag, Interval, Method, Reason
from evaluation.agreement.tables import IntArray

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
        if self.method is not None:
            object.__setattr__(self, "method", Method(self.method))
        if not 0.0 < self.confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, not {self.confidence}.")
        if self.draws < 1:
            raise ValueError(f"draws must be at least 1, not {self.draws}.")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}.")


DEFAULT = Resampling()


def interval_over_cases(
    rows: FloatArray,
    statistic: Statistic,
    how: Resampling = DEFAULT,
    *,
    counts: IntArray | None = None,
    within: Range = ANY,
) -> Interval:
    """An interval from the sums of each case.

    ``rows``: cases x terms; with ``counts``, different rows and how many cases share each.
    Fewer than 5 cases give no interval (``too_few_cases``), fewer than 10 a flagged one. No
    interval either when the value is undefined, when leaving one case out leaves it undefined
    or never changes it (``degenerate_jackknife``), when more than 10 % of the bootstrap replicates
    are undefined or all are equal (``degenerate_bootstrap``); more than 1 % undefined is flagged.
    """
    method = how.method or Method.JACKKNIFE_T
    n_cases = len(rows) if counts is None else int(counts.sum())
    base = Interval(method=method, confidence=how.confidence, n_cases=n_cases)
    if n_cases < FEWEST_CASES:
        return replace(base, reason=Reason.TOO_FEW_CASES)
    sums = rows.sum(axis=0) if counts is None else counts @ rows
    value = float(statistic(sums))
    if math.isnan(value):
        return replace(base, reason=Reason.UNDEFINED_VALUE)
    if n_cases < FEW_CASES:
        base = replace(base, flags=(Flag.FEW_CASES,))
    left_out = resampling.leave_one_out(rows, statistic, sums)
    se = None if np.isnan(left_out).any() else resampling.jackknife_se(left_out, counts)
    base = replace(base, se=se)
    match method:
        case Method.JACKKNIFE_T:
            interval = _jackknife_t(base, value, left_out, n_cases)
        case Method.PERCENTILE | Method.BCA:
            replicates = resampling.bootstrap(
                rows, statistic, draws=how.draws, seed=how.seed, counts=counts
            )
            base = replace(base, draws=how.draws, seed=how.seed)
            accel = resampling.acceleration(left_out, counts)
            interval = bootstrap_interval(base, value, accel, replicates)
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


def _jackknife_t(base: Interval, value: float, left_out: FloatArray, n_cases: int) -> Interval:
    n_undefined = int(np.isnan(left_out).sum())
    if base.se is None or base.se <= 1e-12:
        return replace(base, n_undefined=n_undefined, reason=Reason.DEGENERATE_JACKKNIFE)
    reach = base.se * t_quantile(0.5 + base.confidence / 2, n_cases - 1)
    return replace(base, low=value - reach, high=value + reach)


def bootstrap_interval(
    base: Interval, value: float, accel: float, replicates: FloatArray
) -> Interval:
    """``base`` with the limits that ``replicates`` give, percentile or BCa by ``base.method``.

    ``accel``: Efron's acceleration, for BCa.
    """
    defined = replicates[~np.isnan(replicates)]
    n_undefined = len(replicates) - len(defined)
    base = replace(base, n_undefined=n_undefined)
    none = replace(base, reason=Reason.DEGENERATE_BOOTSTRAP)
    if n_undefined > 0.10 * len(replicates) or np.ptp(defined) <= 1e-12:
        return none
    if n_undefined > 0.01 * len(replicates):
        base = replace(base, flags=(*base.flags, Flag.UNDEFINED_REPLICATES))
    tail = (1.0 - base.confidence) / 2
    shares = [tail, 1.0 - tail]
    if base.method is Method.BCA:
        z0 = bias_correction(defined, value)
        if not (math.isfinite(z0) and math.isfinite(accel)):
            return none
        shifted = [z0 + normal_quantile(share) for share in shares]
        if min(1.0 - accel * point for point in shifted) <= 0.0:
            return none
        shares = [normal_share(z0 + point / (1.0 - accel * point)) for point in shifted]
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
    return normal_quantile(resampling.share_below(replicates, value, probabilities))


def _cut(interval: Interval, within: Range) -> Interval:
    if interval.low is None or interval.high is None:
        return interval
    floor, ceiling = within
    low = interval.low if floor is None else max(floor, interval.low)
    high = interval.high if ceiling is None else min(ceiling, interval.high)
    if (low, high) == (interval.low, interval.high):
        return interval
    return replace(interval, low=low, high=high, flags=(*interval.flags, Flag.CUT_TO_RANGE))
