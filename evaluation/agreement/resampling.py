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
import numpy.typing as npt

from evaluation.agreement.ratings import FloatArray

Statistic = Callable[[FloatArray], FloatArray]
"""Sums (..., terms) -> values (...); NaN where the value is undefined."""

IntArray = npt.NDArray[np.int64]

CELLS_AT_ONCE = 4_000_000
CELLS_DRAWN = 50_000_000
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


def bootstrap(totals: FloatArray, statistic: Statistic, *, draws: int, seed: int) -> FloatArray:
    """``draws`` values of ``statistic`` on resampled cases; NaN where it is undefined.

    ``totals``: cases x terms. With very many cases the distinct rows are drawn with their
    multiplicity: the same law, other draws.
    """
    if len(totals) * draws > CELLS_DRAWN:
        rows, counts = distinct_rows(totals)
        if len(rows) < len(totals) // 2:
            return _bootstrap_distinct(rows, counts, statistic, draws=draws, seed=seed)
    parts = [statistic(counts @ totals) for counts in drawn_counts(len(totals), draws, seed)]
    return np.concatenate(parts)


def _bootstrap_distinct(
    rows: FloatArray, counts: IntArray, statistic: Statistic, *, draws: int, seed: int
) -> FloatArray:
    rng = np.random.default_rng(seed)
    n_cases = int(counts.sum())
    at_once = max(1, CELLS_AT_ONCE // max(rows.shape))
    parts = []
    for start in range(0, draws, at_once):
        drawn = rng.multinomial(n_cases, counts / n_cases, size=min(at_once, draws - start))
        parts.append(statistic(drawn.astype(np.float64) @ rows))
    return np.concatenate(parts)


def distinct_rows(totals: FloatArray) -> tuple[FloatArray, IntArray]:
    """The different rows and how often each occurs (a row may be listed twice, never merged
    with another)."""
    mix = np.random.default_rng(0).random(totals.shape[1])
    _, first, inverse, counts = np.unique(
        totals @ mix, return_index=True, return_inverse=True, return_counts=True
    )
    rows = totals[first]
    if not np.array_equal(rows[inverse], totals):
        return totals, np.ones(len(totals), dtype=np.int64)
    return rows, counts.astype(np.int64)


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


def acceleration(left_out: FloatArray) -> float:
    """Efron's acceleration from leave-one-out values; NaN when they are all equal."""
    deviation = left_out.mean() - left_out
    spread = float((deviation**2).sum())
    if spread <= 0.0:
        return math.nan
    return float((deviation**3).sum()) / (6.0 * spread**1.5)


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
