"""The share of units on which at least two of three raters agree. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evaluation.agreement.alpha import Level, alpha_value
from evaluation.agreement.intervals import DEFAULT, UNIT_RANGE, Resampling
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.ratings import FloatArray, Label, Ratings, encode
from evaluation.agreement.result import NO_REASON, Agreement, Reason
from evaluation.agreement.tables import count_units, prevalence_flags, ratio


def two_agree(
    ratings: Ratings,
    *,
    levels: Sequence[Label] | None = None,
    level: Level = Level.NOMINAL,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Share of units with exactly three ratings of which two or three are equal, 0..1.

    It is no reliability: on five even levels chance alone gives 0.52. ``extra`` holds what must
    stand beside it: ``chance``, from the shares of the levels among those ratings, and ``alpha``
    at the level of measurement ``level``.

    ``ratings``: raters x units, None for missing; units with another number of ratings are
    excluded and counted. ``levels``: the full scale. ``clusters``: the case of each unit; asks for
    an interval.

    ValueError: rows of unequal length, a label outside ``levels``. Undefined: no unit with three
    ratings (``no_triples``).

    >>> result = two_agree([[4, 2, 5], [4, 3, 5], [3, 5, 5]])
    >>> round(result.value, 6), round(result.extra["chance"], 6)
    (0.666667, 0.703704)
    """
    level = Level(level)
    codes, scale = encode(ratings, levels)
    units = count_units(codes, len(scale))
    used = units.n_ratings == 3
    agreeing = used & (units.counts.max(axis=0, initial=0.0) >= 2)
    pooled = Pooled(
        rows=np.stack([agreeing, used], axis=1).astype(np.float64),
        kind_of=units.kind_of,
        statistic=lambda sums: ratio(sums[..., 0], sums[..., 1]),
        used=used,
        within=UNIT_RANGE,
    )
    value = pooled.value()
    n_units = units.number(used)
    return Agreement(
        value=value,
        undefined_reason=NO_REASON if value is not None else Reason.NO_TRIPLES,
        n_units=n_units,
        n_raters=units.n_raters,
        n_missing=units.n_missing,
        n_excluded=units.n_units - n_units,
        missing_rule="a unit with other than three ratings is left out",
        level=level.value,
        interval=interval_if_asked(pooled, clusters, how),
        flags=prevalence_flags(units.by_level),
        extra={
            "chance": chance_of_two(units.counts[:, used] @ units.times[used]),
            "alpha": alpha_value(ratings, level=level, levels=levels),
            "all_different": n_units - units.number(agreeing),
            "levels": scale.levels,
        },
    )


def chance_of_two(counts: FloatArray) -> float | None:
    """Probability that three draws from these counts (or shares) of levels are not all different.

    1 - 6 * (sum over triples of levels of p_i p_j p_k), which is 3 * sum p^2 - 2 * sum p^3. None
    without any count.

    >>> round(chance_of_two(np.array([0.05, 0.15, 0.30, 0.35, 0.15])), 4)
    0.6265
    """
    total = float(counts.sum())
    if not total:
        return None
    share = counts / total
    return math.fsum(3.0 * share**2) - math.fsum(2.0 * share**3)
