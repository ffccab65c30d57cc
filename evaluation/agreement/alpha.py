"""Krippendorff's alpha, any number of raters, with missing ratings. PURE.

Computed from sums over units: of coincidences for ordinal measurement, of disagreement and of
pairable values for the others. That makes it one pass over the data and lets all replicates of
an interval come out of one matrix product. The tests hold it equal to the ``krippendorff``
package.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np

from evaluation.agreement.aspects import mean_over_aspects
from evaluation.agreement.gwet import ac_of_units
from evaluation.agreement.intervals import CHANCE_CORRECTED, DEFAULT, Resampling
from evaluation.agreement.pooled import Clusters, Pooled
from evaluation.agreement.ratings import FloatArray, Label, Ratings, Scale, encode
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import NO_INTERVAL, NO_REASON, Agreement, Reason, Undefined
from evaluation.agreement.tables import UnitCounts, check_size, count_units, prevalence_flags, ratio


class Level(StrEnum):
    """Level of measurement: which distance two labels have."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


def krippendorff_alpha(
    ratings: Ratings,
    *,
    level: Level,
    levels: Sequence[Label] | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """1 - observed / expected disagreement over pairable values; at most 1.

    ``ratings``: raters x units, None (NaN in numeric arrays) for missing. ``level``: level of
    measurement, always stated, for it changes the story. ``levels``: the full scale, in order;
    ordinal measurement of strings needs it. ``clusters``: the case of each unit; asks for an
    interval. Units with one rating drop out and are counted.
    ``extra``: ``observed`` share of agreeing pairs of values, ``n_pairable`` values, ``ac1`` (None
    without ``levels``).

    ValueError: rows of unequal length, a label outside ``levels``, interval or ratio measurement
    of strings, over 1,000 levels. Undefined: no unit with two ratings (``no_pairs``), a single
    value among the pairable ones (``no_variation``).
    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".

    >>> round(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 2, None]], level=Level.ORDINAL).value, 6)
    0.777778
    """
    level = Level(level)
    codes, scale = encode(ratings, levels)
    units = count_units(codes, len(scale))
    distance = _distance(scale, level)
    together = _coincidences(units)
    value = float(_statistic(distance)(_sums(together, distance)))
    n_units = units.number(units.n_ratings >= 2)
    reason: Undefined = NO_REASON
    if math.isnan(value):
        reason = Reason.NO_VARIATION if n_units else Reason.NO_PAIRS
    interval = NO_INTERVAL
    if clusters is not None:
        interval = _pooled(units, distance).interval(clusters, how)
    return Agreement(
        value=None if reason else value,
        undefined_reason=reason,
        n_units=n_units,
        n_raters=units.n_raters,
        n_missing=units.n_missing,
        n_excluded=units.n_units - n_units,
        missing_rule="a unit with fewer than two ratings is left out",
        level=level.value,
        interval=interval,
        flags=prevalence_flags(units.by_level),
        extra=_companions(together, units, scale),
    )


def alpha_value(
    ratings: Ratings, *, level: Level, levels: Sequence[Label] | None = None
) -> float | None:
    """The value of :func:`krippendorff_alpha` alone, for loops; None when it is undefined.

    >>> round(alpha_value([[1, 2, 3, 3], [1, 2, 2, None]], level=Level.ORDINAL), 6)
    0.777778
    """
    codes, scale = encode(ratings, levels)
    distance = _distance(scale, Level(level))
    together = _coincidences(count_units(codes, len(scale)))
    value = float(_statistic(distance)(_sums(together, distance)))
    return None if math.isnan(value) else value


def mean_alpha(
    aspects: Mapping[str, Ratings],
    *,
    level: Level,
    levels: Sequence[Label],
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean of the alphas of several aspects rated on the same units (style: five aspects).

    ``aspects``: name -> ratings (raters x units), the same units in the same order. Other inputs
    and errors as :func:`krippendorff_alpha`. ``extra["aspects"]``: the alpha of each (None where
    undefined). Aspects without a value stay out and are flagged; undefined when none has one.
    """
    each, parts = {}, []
    for name, ratings in aspects.items():
        each[name] = krippendorff_alpha(ratings, level=level, levels=levels)
        if each[name].value is not None:
            codes, scale = encode(ratings, levels)
            units = count_units(codes, len(scale))
            parts.append(_pooled(units, _distance(scale, Level(level))))
    return mean_over_aspects(each, parts, clusters, how)


def nominal_alpha(units: UnitCounts) -> float:
    """Nominal alpha as a bare number, NaN when undefined: the companion of other figures."""
    distance = 1.0 - np.eye(len(units.counts))
    return float(_statistic(distance)(_sums(_coincidences(units), distance)))


def _distance(scale: Scale, level: Level) -> FloatArray | None:
    """Squared distance of every two levels; None for ordinal, where it depends on the data."""
    if level is Level.ORDINAL:
        scale.require_order("ordinal measurement")
        return None
    if level is Level.NOMINAL:
        return 1.0 - np.eye(len(scale))
    numbers = scale.numbers()
    difference = numbers[:, np.newaxis] - numbers
    if level is Level.RATIO:
        total = numbers[:, np.newaxis] + numbers
        difference = np.divide(difference, total, out=np.zeros_like(difference), where=total != 0)
    return np.asarray(difference**2)


def _weights(units: UnitCounts) -> FloatArray:
    """1 / (ratings - 1) of a unit of each kind, 0 where there is no pair."""
    paired = units.n_ratings >= 2
    return np.divide(1.0, units.n_ratings - 1.0, out=np.zeros(len(paired)), where=paired)


def _coincidences(units: UnitCounts) -> FloatArray:
    """Levels x levels: pairs of values within units, each unit's pairs weighing its ratings."""
    weighted = units.counts * (_weights(units) * units.times)
    together = weighted @ units.counts.T
    together.ravel()[:: len(together) + 1] -= weighted.sum(axis=1)
    return together


def _sums(together: FloatArray, distance: FloatArray | None) -> FloatArray:
    """What the statistic needs of a coincidence table (levels x levels)."""
    if distance is None:
        return together.ravel()
    return np.concatenate(([(together * distance).sum()], together.sum(axis=1)))


def _rows(units: UnitCounts, distance: FloatArray | None) -> FloatArray:
    """What a unit of each kind adds to those sums: kinds x terms."""
    counts, weights = units.counts, _weights(units)
    if distance is None:
        check_size(len(weights), len(counts) ** 2)
        weighted = counts * weights
        together = weighted[:, np.newaxis, :] * counts[np.newaxis, :, :]
        diagonal = np.arange(len(counts))
        together[diagonal, diagonal] -= weighted
        return together.reshape(len(counts) ** 2, len(weights)).T
    disagreement = (counts * (distance @ counts)).sum(axis=0) * weights
    return np.vstack([disagreement, counts * (weights > 0)]).T


def _pooled(units: UnitCounts, distance: FloatArray | None) -> Pooled:
    return Pooled(
        rows=_rows(units, distance),
        kind_of=units.kind_of,
        statistic=_statistic(distance),
        used=units.n_ratings >= 2,
        within=CHANCE_CORRECTED,
    )


def _statistic(distance: FloatArray | None) -> Statistic:
    return _ordinal if distance is None else _with_fixed_distance(distance)


def _with_fixed_distance(distance: FloatArray) -> Statistic:
    """Alpha of sums (observed disagreement, then pairable values a level)."""

    def statistic(sums: FloatArray) -> FloatArray:
        values = sums[..., 1:]
        expected = ((values @ distance) * values).sum(axis=-1)
        return 1.0 - ratio(sums[..., 0] * (values.sum(axis=-1) - 1.0), expected)

    return statistic


def _ordinal(sums: FloatArray) -> FloatArray:
    """Ordinal alpha of flat coincidence tables (..., levels squared).

    The ordinal distance of two levels is the difference of their mid-ranks, so alpha is that of
    interval measurement on mid-ranks, written with squares about the mean rank.
    """
    q = math.isqrt(sums.shape[-1])
    together = sums.reshape(*sums.shape[:-1], q, q)
    values = np.add.reduce(together, axis=-1)
    n = np.add.reduce(values, axis=-1)
    rank = values.cumsum(axis=-1) - 0.5 * (values + n[..., np.newaxis])
    weighted = values * rank
    spread = np.add.reduce(weighted * rank, axis=-1)
    apart = weighted - (together @ rank[..., np.newaxis])[..., 0]
    differing = np.add.reduce(apart * rank, axis=-1)
    return 1.0 - ratio(differing * (n - 1.0), n * spread * (spread > 1e-9))


def _companions(together: FloatArray, units: UnitCounts, scale: Scale) -> dict[str, object]:
    n_pairable = float(together.sum())
    return {
        "observed": float(together.trace()) / n_pairable if n_pairable else None,
        "n_pairable": round(n_pairable),
        "ac1": ac_of_units(units) if scale.given else None,
        "levels": scale.levels,
    }
