"""Leave cases out, draw cases again: replicates of a statistic of sums. PURE.

Every statistic here depends on its units only through sums: hits, counts, cells of a table. So a
case is one row of *totals*, a resample is a vector of how often each case was drawn, and all
replicates come out of one matrix product instead of a loop over draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement

import numpy as np

from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.tables import IntArray

Statistic = Callable[[FloatArray], FloatArray]
"""Sums (..., terms) -> values (...); NaN where the value is undefined."""

CELLS_AT_ONCE = 4_000_000
MAX_LAW = 10_000


def drawn_counts(n_cases: int, draws: int, seed: int) -> Iterator[FloatArray]:
    """How often each case is in each resample: chunks of (draws, cases), ``draws`` rows in all.

    The same ``n_cases``, ``draws`` and ``seed`` give the same resamples, so two judges measured
    on the same cases are compared draw by draw. They are the resamples of
    ``scipy.stats.bootstrap`` with ``rng=numpy.random.default_rng(seed)``.
    """
    rng = np.random.default_rng(seed)
    at_once = max(1, CELLS_AT_ONCE // n_cases)
    for start in range(0, draws, at_once):
        size = min(at_once, draws - start)
        picks = rng.integers(0, n_cases, (size, n_cases))
        picks += np.arange(size)[:, np.newaxis] * n_cases
        counts = np.bincount(picks.ravel(), minlength=size * n_cases)
        yield counts.reshape(size, n_cases).astype(np.float64)


def bootstrap(
    rows: FloatArray,
    statistic: Statistic,
    *,
    draws: int,
    seed: int,
    counts: IntArray | None = None,
) -> FloatArray:
    """``draws`` values of ``statistic`` on resampled cases; NaN where it is undefined.

    ``rows``: cases x terms. ``counts``: how many cases share each row; the rows are then drawn
    with that multiplicity, which is the same law by other draws.
    """
    if counts is None:
        drawn = drawn_counts(len(rows), draws, seed)
    else:
        drawn = _drawn_kinds(counts, draws, seed)
    return np.concatenate([statistic(times @ rows) for times in drawn])


def _drawn_kinds(counts: IntArray, draws: int, seed: int) -> Iterator[FloatArray]:
    rng = np.random.default_rng(seed)
    n_cases = int(counts.sum())
    at_once = max(1, CELLS_AT_ONCE // len(counts))
    for start in range(0, draws, at_once):
        size = min(at_once, draws - start)
        yield rng.multinomial(n_cases, counts / n_cases, size=size).astype(np.float64)


def leave_one_out(
    rows: FloatArray, statistic: Statistic, everything: FloatArray | None = None
) -> FloatArray:
    """The value of ``statistic`` without each of ``rows`` in turn; NaN where it is undefined.

    ``rows``: cases (or units) x terms; ``everything``: the sums they are taken from, the sum of
    ``rows`` unless given. Terms are sums of counts, so a difference below a billionth of a term
    is rounding and counts as 0.
    """
    if everything is None:
        everything = rows.sum(axis=0)
    smallest = 1e-9 * np.maximum(1.0, np.abs(everything))
    at_once = max(1, CELLS_AT_ONCE // rows.shape[1])
    parts = []
    for start in range(0, len(rows), at_once):
        rest = everything - rows[start : start + at_once]
        rest[np.abs(rest) <= smallest] = 0.0
        parts.append(statistic(rest))
    return np.concatenate(parts)


def jackknife_se(left_out: FloatArray, counts: IntArray | None = None) -> float:
    """Standard error from leave-one-out values: sqrt((n - 1) / n * sum of squared deviations).

    ``counts``: how many units share each value (1 by default). Efron and Tibshirani 1993, 11.5.
    """
    weights = np.ones(len(left_out)) if counts is None else counts
    n = float(weights.sum())
    mean = float(weights @ left_out) / n
    return math.sqrt((n - 1) / n * float(weights @ (left_out - mean) ** 2))


def acceleration(left_out: FloatArray, counts: IntArray | None = None) -> float:
    """Efron's acceleration from leave-one-out values; NaN when they are all equal.

    ``counts``: how many cases share each value (1 by default).
    """
    weights = np.ones(len(left_out)) if counts is None else counts
    deviation = float(weights @ left_out) / float(weights.sum()) - left_out
    spread = float(weights @ deviation**2)
    if spread <= 0.0:
        return math.nan
    return float(weights @ deviation**3) / (6.0 * spread**1.5)


def share_below(replicates: FloatArray, value: float, probabilities: FloatArray) -> float:
    """Probability of a replicate below ``value``, ties counted half."""
    near = np.abs(replicates - value) <= 1e-12
    return float(probabilities @ ((replicates < value) & ~near) + 0.5 * (probabilities @ near))


def law_size(n_cases: int) -> int:
    """How many different resamples of ``n_cases`` cases there are: C(2n - 1, n)."""
    return math.comb(2 * n_cases - 1, n_cases)


def bootstrap_law(totals: FloatArray, statistic: Statistic) -> tuple[FloatArray, FloatArray]:
    """The exact bootstrap law: the value of every possible resample and its probability.

    For up to 8 cases (6,435 resamples). Raises ValueError beyond that.

    >>> values, probabilities = bootstrap_law(np.array([[0.0, 1], [1, 1]]), lambda t: t[:, 0] / 2)
    >>> values.tolist(), probabilities.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    n_cases = len(totals)
    if law_size(n_cases) > MAX_LAW:
        raise ValueError(f"the exact law of {n_cases} cases has {law_size(n_cases)} resamples")
    picks = np.array(list(combinations_with_replacement(range(n_cases), n_cases)))
    offsets = np.arange(len(picks))[:, np.newaxis] * n_cases
    counts = np.bincount((picks + offsets).ravel(), minlength=len(picks) * n_cases)
    counts = counts.reshape(len(picks), n_cases)
    factorials = np.array([math.factorial(k) for k in range(n_cases + 1)], dtype=np.float64)
    ways = factorials[n_cases] / factorials[counts].prod(axis=1)
    return statistic(counts @ totals), ways / float(n_cases) ** n_cases
