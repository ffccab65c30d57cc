"""Agreement within units, corrected by one of three ideas of chance. PURE.

Observed agreement is the mean over units of the share of rater pairs that agree. What would
agree by chance is taken from the pooled shares of the levels (Fleiss), from how even they are
(Gwet), or from equal shares (Brennan and Prediger, Randolph). All need the same sums.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.tables import UnitCounts, ratio

AGREED, PAIRED, RATED, SHARES = 0, 1, 2, 3
"""Columns of the sums: agreement of the units with two ratings, the number of such units, the
number of units with a rating, and from there on the shares of the levels within those."""

Chance = Callable[[FloatArray, FloatArray], FloatArray]
"""Shares of the levels (..., levels) and similarity (levels x levels) -> expected agreement."""


def agreement_rows(units: UnitCounts, near: FloatArray) -> FloatArray:
    """Kinds of units x (3 + levels); ``near``: similarity of levels, levels x levels."""
    counts, n_ratings = units.counts, units.n_ratings
    pairs = n_ratings * (n_ratings - 1.0)
    alike = (counts * (near @ counts - 1.0)).sum(axis=0)
    rows = np.empty((len(n_ratings), SHARES + len(counts)))
    paired = n_ratings >= 2
    rows[:, AGREED] = np.divide(alike, pairs, out=np.zeros_like(pairs), where=paired)
    rows[:, PAIRED] = paired
    rows[:, RATED] = n_ratings >= 1
    rows[:, SHARES:] = (counts / np.maximum(n_ratings, 1.0)).T
    return rows


def observed(sums: FloatArray) -> FloatArray:
    """Mean agreement within units; NaN when no unit has two ratings."""
    return ratio(sums[..., AGREED], sums[..., PAIRED])


def shares(sums: FloatArray) -> FloatArray:
    """Mean share of each level over units."""
    return ratio(sums[..., SHARES:], np.broadcast_to(sums[..., [RATED]], sums[..., SHARES:].shape))


def corrected(near: FloatArray, chance: Chance) -> Statistic:
    """(observed - expected) / (1 - expected) of the sums; NaN when chance alone agrees fully."""

    def statistic(sums: FloatArray) -> FloatArray:
        expected = chance(shares(sums), near)
        room = 1.0 - expected
        return ratio(observed(sums) - expected, np.where(room > 1e-12, room, 0.0))

    return statistic


def by_pooled_shares(share: FloatArray, near: FloatArray) -> FloatArray:
    """Two ratings drawn from the pooled shares (Fleiss 1971)."""
    return np.asarray(((share @ near) * share).sum(axis=-1))


def by_prevalence(share: FloatArray, near: FloatArray) -> FloatArray:
    """Chance that a rating is a guess, from the evenness of the shares (Gwet 2008)."""
    q = len(near)
    if q < 2:
        return np.ones(share.shape[:-1])
    return np.asarray(near.sum() * (share * (1.0 - share)).sum(axis=-1) / (q * (q - 1)))


def by_uniform(share: FloatArray, near: FloatArray) -> FloatArray:
    """All levels equally likely (Brennan and Prediger 1981; Randolph 2005)."""
    return np.full(share.shape[:-1], near.sum() / max(1, len(near)) ** 2)
