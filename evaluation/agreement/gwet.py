"""Chance-corrected agreement that stays stable when one level dominates. PURE.

Gwet's AC1 (AC2 with weights) and the Brennan-Prediger coefficient stand beside kappa and alpha,
which fall towards 0 on skewed labels even when people agree. Both stay defined when all
ratings are equal: chance agreement is then 0 (AC1) or uniform (Brennan-Prediger).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evaluation.agreement.chance import (
    PAIRED,
    RATED,
    Chance,
    agreement_rows,
    by_prevalence,
    by_uniform,
    corrected,
    observed,
    shares,
)
from evaluation.agreement.intervals import CHANCE_CORRECTED, DEFAULT, Resampling
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.ratings import FloatArray, Label, Ratings, encode
from evaluation.agreement.result import NO_REASON, Agreement, Reason, Undefined
from evaluation.agreement.tables import UnitCounts, count_units, prevalence_flags
from evaluation.agreement.weights import Weights, similarity


def gwet_ac(
    ratings: Ratings,
    *,
    levels: Sequence[Label],
    weights: Weights = Weights.NONE,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Gwet's AC1, or AC2 when ``weights`` are given; at most 1.

    ``ratings``: raters (2 or more) x units, None for missing. ``levels``: the full scale, in order
    for weights. ``clusters``: the case of each unit; asks for an interval.
    ``extra``: ``observed`` and ``expected`` agreement.

    ValueError: rows of unequal length, a label outside ``levels``. Undefined: no unit with two
    ratings (``no_pairs``), a scale of one level (``no_variation``).
    Source: Gwet 2008, BJMSP 61:29-48; with missing ratings as in Gwet 2014, 5.3.

    >>> round(gwet_ac([[0, 0, 0, 1], [0, 0, 1, 1]], levels=[0, 1]).value, 6)
    0.529412
    """
    return _coefficient(ratings, levels, weights, clusters, how, by_prevalence)


def brennan_prediger(
    ratings: Ratings,
    *,
    levels: Sequence[Label],
    weights: Weights = Weights.NONE,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Agreement corrected for raters who pick every level equally often; at most 1.

    Inputs, errors and undefined cases as :func:`gwet_ac`.
    Source: Brennan and Prediger 1981, Educational and Psychological Measurement 41:687-699.

    >>> brennan_prediger([[0, 0, 0, 1], [0, 0, 1, 1]], levels=[0, 1]).value
    0.5
    """
    return _coefficient(ratings, levels, weights, clusters, how, by_uniform)


def _coefficient(
    ratings: Ratings,
    levels: Sequence[Label],
    weights: Weights,
    clusters: Clusters | None,
    how: Resampling,
    chance: Chance,
) -> Agreement:
    weights = Weights(weights)
    codes, scale = encode(ratings, levels)
    near = similarity(scale, weights)
    units = count_units(codes, len(scale))
    rows = agreement_rows(units, near)
    pooled = Pooled(
        rows=rows,
        kind_of=units.kind_of,
        statistic=corrected(near, chance),
        used=rows[:, RATED] > 0,
        within=CHANCE_CORRECTED,
    )
    sums = pooled.sums()
    value = pooled.value()
    if value is not None:
        reason: Undefined = NO_REASON
    else:
        reason = Reason.NO_PAIRS if sums[PAIRED] == 0 else Reason.NO_VARIATION
    return Agreement(
        value=value,
        undefined_reason=reason,
        n_units=int(sums[PAIRED]),
        n_raters=units.n_raters,
        n_missing=units.n_missing,
        n_excluded=units.n_units - int(sums[PAIRED]),
        missing_rule="a unit with one rating counts for the shares of the levels only",
        level="nominal" if weights is Weights.NONE else f"{weights} weights",
        interval=interval_if_asked(pooled, clusters, how),
        flags=prevalence_flags(units.by_level),
        extra={
            "observed": float(observed(sums)),
            "expected": float(chance(shares(sums), near)),
        },
    )


def ac_of_units(units: UnitCounts, near: FloatArray | None = None) -> float:
    """AC1, or AC2, as a bare number, NaN when undefined: the companion of other figures.

    ``near``: similarity of levels, levels x levels, for AC2.
    """
    counts, times, n_ratings = units.counts, units.times, units.n_ratings
    q = len(counts)
    n_paired = float((n_ratings >= 2) @ times)
    if q < 2 or not n_paired:
        return math.nan
    weighted = counts if near is None else near @ counts
    alike = np.add.reduce(counts * weighted, axis=0) - n_ratings
    n_pairs = n_ratings * (n_ratings - 1.0)
    agreed = float(alike / np.maximum(n_pairs, 1.0) @ times) / n_paired
    share = counts @ (times / np.maximum(n_ratings, 1.0)) / float((n_ratings > 0) @ times)
    nearness = q if near is None else float(near.sum())
    expected = nearness * (1.0 - float(share @ share)) / (q * (q - 1))
    return (agreed - expected) / (1.0 - expected)
