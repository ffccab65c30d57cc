"""Cohen's kappa of two raters, unweighted and weighted. PURE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluation.agreement.aspects import mean_over_aspects
from evaluation.agreement.gwet import ac_of_units
from evaluation.agreement.intervals import CHANCE_CORRECTED, DEFAULT, Resampling
from evaluation.agreement.pooled import Clusters, Pooled
from evaluation.agreement.quantiles import normal_quantile
from evaluation.agreement.ratings import (
    MISSING,
    CodeArray,
    FloatArray,
    Label,
    Rating,
    Scale,
    encode_two,
)
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import NO_INTERVAL, NO_REASON, Agreement, Flag, Reason, Undefined
from evaluation.agreement.tables import (
    LEVELS_SHOWN,
    UnitCounts,
    confusion,
    confusion_cells,
    count_units,
    one_cell_each,
    prevalence_flags,
    ratio,
)
from evaluation.agreement.weights import Weights, disagreement, similarity

Answers = Sequence[Rating] | npt.NDArray[np.generic]


def cohen_kappa(
    a: Answers,
    b: Answers,
    *,
    levels: Sequence[Label] | None = None,
    weights: Weights = Weights.NONE,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Agreement of two raters beyond what their own habits would give; at most 1.

    ``a``, ``b``: one label a unit, None for missing (the unit drops out and is counted).
    ``levels``: the full scale in order; needed for weights, which count steps over the **full**
    scale. ``clusters``: the case of each unit; asks for an interval.
    ``extra``: ``observed`` and ``expected`` agreement (weighted), ``exact`` share, ``ac1`` (and
    ``ac2`` when weighted), ``max_kappa`` that the marginals allow and the ``asymptotic``
    interval for independent units (both unweighted only), the ``confusion`` table.

    ValueError: unequal lengths, a label outside ``levels``, weights without ``levels``.
    Undefined: no unit with both ratings (``no_pairs``), both raters on one and the same level
    (``no_variation``). One rater constant: 0, flagged.
    Sources: Cohen 1960, EPM 20:37-46; Cohen 1968, Psychological Bulletin 70:213-220.

    >>> round(cohen_kappa([1, 2, 3, 3], [1, 2, 2, 3]).value, 6)
    0.636364
    """
    weights = Weights(weights)
    a_codes, b_codes, scale = encode_two(a, b, levels)
    q = len(scale)
    far = disagreement(scale, weights)
    table = confusion(a_codes, b_codes, q)
    statistic = _kappa(far)
    value = float(statistic(table))
    n_units = int(table.sum())
    reason: Undefined = NO_REASON
    if math.isnan(value):
        reason = Reason.NO_VARIATION if n_units else Reason.NO_PAIRS
    interval = NO_INTERVAL
    if clusters is not None:
        interval = _pooled(a_codes, b_codes, q, statistic).interval(clusters, how)
    square = table.reshape(q, q)
    units = count_units(np.vstack([a_codes, b_codes]), q)
    return Agreement(
        value=None if reason else value,
        undefined_reason=reason,
        n_units=n_units,
        n_raters=2,
        n_missing=int((a_codes == MISSING).sum() + (b_codes == MISSING).sum()),
        n_excluded=len(a_codes) - n_units,
        missing_rule="a unit without both ratings is left out",
        level="nominal" if weights is Weights.NONE else f"{weights} weights",
        interval=interval,
        flags=_flags(square, units),
        extra=_companions(square, units, scale, weights),
    )


def mean_kappa(
    aspects: Mapping[str, tuple[Answers, Answers]],
    *,
    levels: Sequence[Label],
    weights: Weights = Weights.NONE,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean of the kappas of several aspects rated on the same units.

    Pooling the ratings of all aspects into one kappa mixes how aspects differ with how raters
    agree; this mean does not. ``aspects``: name -> the two raters' labels, the same units in
    the same order. Other inputs, errors as :func:`cohen_kappa`. ``extra["aspects"]``: the kappa
    of each (None where undefined). Aspects without a value stay out and are flagged;
    undefined when no aspect has one.
    """
    weights = Weights(weights)
    each = {
        name: cohen_kappa(a, b, levels=levels, weights=weights) for name, (a, b) in aspects.items()
    }
    parts = []
    for name, (a, b) in aspects.items():
        if each[name].value is not None:
            a_codes, b_codes, scale = encode_two(a, b, levels)
            statistic = _kappa(disagreement(scale, weights))
            parts.append(_pooled(a_codes, b_codes, len(scale), statistic))
    return mean_over_aspects(each, parts, clusters, how)


def _pooled(a: CodeArray, b: CodeArray, q: int, statistic: Statistic) -> Pooled:
    rows, kind_of, used = one_cell_each(confusion_cells(a, b, q), q * q)
    return Pooled(
        rows=rows, kind_of=kind_of, statistic=statistic, used=used, within=CHANCE_CORRECTED
    )


def _kappa(far: FloatArray) -> Statistic:
    """1 - observed / expected disagreement of flat confusion tables (..., levels squared)."""
    q = len(far)

    def statistic(tables: FloatArray) -> FloatArray:
        square = tables.reshape(*tables.shape[:-1], q, q)
        by_a, by_b = square.sum(axis=-1), square.sum(axis=-2)
        expected = ((by_a @ far) * by_b).sum(axis=-1)
        return 1.0 - ratio((square * far).sum(axis=(-2, -1)) * by_a.sum(axis=-1), expected)

    return statistic


def kappa_of_table(table: FloatArray) -> float | None:
    """Unweighted kappa of a flat confusion table (levels squared); None when undefined."""
    far = 1.0 - np.eye(math.isqrt(table.size))
    value = float(_kappa(far)(table))
    return None if math.isnan(value) else value


def _flags(square: FloatArray, units: UnitCounts) -> tuple[Flag, ...]:
    used_by_a, used_by_b = (square.sum(axis=axis) > 0 for axis in (1, 0))
    constant = square.any() and 1 in (used_by_a.sum(), used_by_b.sum())
    varied = (used_by_a | used_by_b).sum() > 1
    flags = (Flag.ONE_RATER_CONSTANT,) if constant and varied else ()
    return flags + prevalence_flags(units.by_level)


def _companions(
    square: FloatArray, units: UnitCounts, scale: Scale, weights: Weights
) -> dict[str, object]:
    n = float(square.sum()) or math.nan
    share = square / n
    by_a, by_b = share.sum(axis=1), share.sum(axis=0)
    near = similarity(scale, weights)
    companions: dict[str, object] = {
        "observed": float((square * near).sum()) / n,
        "expected": float(by_a @ near @ by_b),
        "exact": float(square.trace()) / n,
        "ac1": ac_of_units(units) if scale.given else None,
        "levels": scale.levels,
        "confusion": square if len(square) <= LEVELS_SHOWN else None,
    }
    if weights is not Weights.NONE:
        return companions | {"ac2": ac_of_units(units, near)}
    expected = float(by_a @ by_b)
    if not math.isnan(n) and expected < 1.0:
        best = (float(np.minimum(by_a, by_b).sum()) - expected) / (1.0 - expected)
        companions |= {"max_kappa": best, "asymptotic": asymptotic_interval(square)}
    return companions


def asymptotic_interval(square: FloatArray, confidence: float = 0.95) -> dict[str, float]:
    """Large-sample interval of unweighted kappa: ``se``, ``low``, ``high``.

    It takes units as independent, so it is too narrow where a case has several; it is here to
    compare with other programs. ``square``: confusion table, levels x levels, with variation.
    Source: Fleiss, Cohen and Everitt 1969, Psychological Bulletin 72:323-327, eq. 13.
    """
    n = float(square.sum())
    share = square / n
    by_a, by_b = share.sum(axis=1), share.sum(axis=0)
    observed, expected = float(np.trace(share)), float(by_a @ by_b)
    kappa = (observed - expected) / (1.0 - expected)
    either = by_a[np.newaxis, :] + by_b[:, np.newaxis]
    agreeing = float(np.diag(share) @ (1.0 - (by_a + by_b) * (1.0 - kappa)) ** 2)
    off = share * (1.0 - np.eye(len(share)))
    disagreeing = (1.0 - kappa) ** 2 * float((off * either**2).sum())
    centre = (kappa - expected * (1.0 - kappa)) ** 2
    variance = max(0.0, agreeing + disagreeing - centre) / (n * (1.0 - expected) ** 2)
    se = math.sqrt(variance)
    reach = normal_quantile(0.5 + confidence / 2) * se
    return {"se": se, "low": kappa - reach, "high": kappa + reach}
