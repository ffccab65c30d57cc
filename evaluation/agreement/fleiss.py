"""Fleiss' kappa of three or more raters. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from evaluation.agreement.alpha import nominal_alpha
from evaluation.agreement.chance import (
    AGREED,
    SHARES,
    agreement_rows,
    by_pooled_shares,
    by_prevalence,
    by_uniform,
    corrected,
    observed,
    shares,
)
from evaluation.agreement.intervals import CHANCE_CORRECTED, DEFAULT, Resampling
from evaluation.agreement.kappa import kappa_of_table
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.quantiles import t_quantile
from evaluation.agreement.ratings import CodeArray, FloatArray, Label, Ratings, encode
from evaluation.agreement.result import NO_REASON, Agreement, Reason, Undefined
from evaluation.agreement.tables import confusion, count_units, prevalence_flags

MOST_RATERS_PAIRED = 30


def fleiss_kappa(
    ratings: Ratings,
    *,
    levels: Sequence[Label] | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean pairwise agreement within units beyond what the pooled shares would give; at most 1.

    ``ratings``: raters x units, None for missing. Each rated unit needs the same number of
    ratings, whoever gave them; units without any are excluded and counted. ``levels``: the full
    scale. ``clusters``: the case of each unit; asks for an interval.
    ``extra``: ``observed``, ``expected``, ``randolph`` and ``ac1`` (both need ``levels``),
    ``alpha_nominal`` (takes missing votes), ``mean_pairwise_kappa`` over the pairs of raters that
    have one (up to 30 raters), and ``linearised``: standard error and interval for independent
    units, to compare with other programs.

    ValueError: rows of unequal length, a label outside ``levels``. Undefined: no unit with two
    ratings (``no_pairs``), units that differ in their number of ratings (``unequal_raters``),
    one level throughout (``no_variation``).
    Source: Fleiss 1971, Psychological Bulletin 76:378-382.

    >>> round(fleiss_kappa([["x", "y", "y"], ["x", "y", "x"], ["x", "y", "y"]]).value, 6)
    0.55
    """
    codes, scale = encode(ratings, levels)
    units = count_units(codes, len(scale))
    near = np.eye(len(scale))
    rows = agreement_rows(units, near)
    rated = units.n_ratings > 0
    pooled = Pooled(
        rows=rows,
        kind_of=units.kind_of,
        statistic=corrected(near, by_pooled_shares),
        used=rated,
        within=CHANCE_CORRECTED,
    )
    sums = pooled.sums()
    value = float(pooled.statistic(sums))
    reason = _reason(units.n_ratings[rated], value)
    companions: dict[str, object] = {
        "observed": float(observed(sums)),
        "expected": float(by_pooled_shares(shares(sums), near)),
        "alpha_nominal": nominal_alpha(units),
        "mean_pairwise_kappa": _mean_pairwise_kappa(codes, len(scale)),
        "levels": scale.levels,
    }
    if scale.given:
        companions["randolph"] = float(corrected(near, by_uniform)(sums))
        companions["ac1"] = float(corrected(near, by_prevalence)(sums))
    if not reason:
        companions["linearised"] = _linearised(rows[rated], units.times[rated], value)
    n_units = units.number(rated)
    return Agreement(
        value=None if reason else value,
        undefined_reason=reason,
        n_units=n_units,
        n_raters=units.n_raters,
        n_missing=units.n_missing,
        n_excluded=units.n_units - n_units,
        missing_rule="rated units need equally many ratings; a unit without any is left out",
        level="nominal",
        interval=interval_if_asked(pooled, None if reason else clusters, how),
        flags=prevalence_flags(units.by_level),
        extra=companions,
    )


def _reason(n_ratings: FloatArray, value: float) -> Undefined:
    """Why kappa has no value, from the number of ratings of the rated units."""
    if not (n_ratings >= 2).any():
        return Reason.NO_PAIRS
    if np.ptp(n_ratings) > 0:
        return Reason.UNEQUAL_RATERS
    return Reason.NO_VARIATION if math.isnan(value) else NO_REASON


def _mean_pairwise_kappa(codes: CodeArray, q: int) -> float | None:
    if len(codes) > MOST_RATERS_PAIRED:
        return None
    tables = [confusion(a, b, q) for a, b in combinations(codes, 2)]
    kappas = [kappa for kappa in map(kappa_of_table, tables) if kappa is not None]
    return sum(kappas) / len(kappas) if kappas else None


def _linearised(rows: FloatArray, times: FloatArray, kappa: float) -> dict[str, float] | None:
    """Standard error and t interval for independent units.

    ``rows``: of :func:`agreement_rows`, rated kinds of units only; ``times``: units of each kind.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 5.3.
    """
    n = float(times.sum())
    if n < 2:
        return None
    share = times @ rows[:, SHARES:] / n
    expected = float(share @ share)
    by_unit = (rows[:, AGREED] - expected) / (1.0 - expected)
    chance_of_unit = rows[:, SHARES:] @ share
    shifted = by_unit - 2.0 * (1.0 - kappa) * (chance_of_unit - expected) / (1.0 - expected)
    se = math.sqrt(float(times @ (shifted - kappa) ** 2) / (n * (n - 1)))
    reach = se * t_quantile(0.975, n - 1)
    return {"se": se, "low": kappa - reach, "high": min(1.0, kappa + reach)}
