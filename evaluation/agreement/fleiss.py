"""Fleiss' kappa of three or more raters. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from evaluation.agreement.alpha import nominal_alpha_of_counts
from evaluation.agreement.chance import (
    AGREED,
    agreement_rows,
    by_pooled_shares,
    by_prevalence,
    by_uniform,
    corrected,
    observed,
    shares,
)
from evaluation.agreement.intervals import (
    CHANCE_CORRECTED,
    DEFAULT,
    Clusters,
    Pooled,
    Resampling,
    interval_if_asked,
)
from evaluation.agreement.kappa import kappa_of_table
from evaluation.agreement.ratings import (
    MISSING,
    CodeArray,
    FloatArray,
    Label,
    Ratings,
    confusion,
    encode,
    level_counts,
    prevalence_flags,
)
from evaluation.agreement.result import NO_REASON, Agreement, Reason, Undefined


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
    have one, and ``linearised``: standard error and interval for independent units, to compare
    with other programs.

    ValueError: rows of unequal length, a label outside ``levels``. Undefined: no unit with two
    ratings (``no_pairs``), units that differ in their number of ratings (``unequal_raters``),
    one level throughout (``no_variation``).
    Source: Fleiss 1971, Psychological Bulletin 76:378-382.

    >>> round(fleiss_kappa([["x", "y", "y"], ["x", "y", "x"], ["x", "y", "y"]]).value, 6)
    0.55
    """
    codes, scale = encode(ratings, levels)
    counts = level_counts(codes, len(scale))
    near = np.eye(len(scale))
    rows = agreement_rows(counts, near)
    sums = rows.sum(axis=0)
    statistic = corrected(near, by_pooled_shares)
    rated = counts.sum(axis=0) > 0
    value = float(statistic(sums))
    reason = _reason(counts[:, rated], value)
    pooled = Pooled(rows=rows, statistic=statistic, used=rated, within=CHANCE_CORRECTED)
    companions: dict[str, object] = {
        "observed": float(observed(sums)),
        "expected": float(by_pooled_shares(shares(sums), near)),
        "alpha_nominal": nominal_alpha_of_counts(counts),
        "mean_pairwise_kappa": _mean_pairwise_kappa(codes, len(scale)),
        "levels": scale.levels,
    }
    if scale.given:
        companions["randolph"] = float(corrected(near, by_uniform)(sums))
        companions["ac1"] = float(corrected(near, by_prevalence)(sums))
    if not reason:
        companions["linearised"] = _linearised(rows[rated], counts[:, rated], value)
    return Agreement(
        value=None if reason else value,
        undefined_reason=reason,
        n_units=int(rated.sum()),
        n_raters=len(codes),
        n_missing=int((codes == MISSING).sum()),
        n_excluded=int((~rated).sum()),
        level="nominal",
        interval=interval_if_asked(pooled, None if reason else clusters, how),
        flags=prevalence_flags(counts),
        extra=companions,
    )


def _reason(counts: FloatArray, value: float) -> Undefined:
    """Why kappa has no value, from counts (levels x rated units)."""
    n_ratings = counts.sum(axis=0)
    if not (n_ratings >= 2).any():
        return Reason.NO_PAIRS
    if np.ptp(n_ratings) > 0:
        return Reason.UNEQUAL_RATERS
    return Reason.NO_VARIATION if math.isnan(value) else NO_REASON


def _mean_pairwise_kappa(codes: CodeArray, q: int) -> float | None:
    tables = [confusion(a, b, q) for a, b in combinations(codes, 2)]
    kappas = [kappa for kappa in map(kappa_of_table, tables) if kappa is not None]
    return sum(kappas) / len(kappas) if kappas else None


def _linearised(rows: FloatArray, counts: FloatArray, kappa: float) -> dict[str, float] | None:
    """Standard error and t interval for independent units (Gwet 2014, 5.3)."""
    n = len(rows)
    if n < 2:
        return None
    share = counts.sum(axis=1) / counts.sum()
    expected = float(share @ share)
    by_unit = (rows[:, AGREED] - expected) / (1.0 - expected)
    chance_of_unit = share @ counts / counts.sum(axis=0)
    shifted = by_unit - 2.0 * (1.0 - kappa) * (chance_of_unit - expected) / (1.0 - expected)
    se = math.sqrt(float(((shifted - kappa) ** 2).sum()) / (n * (n - 1)))
    reach = se * float(stdtrit(n - 1, 0.975))
    return {"se": se, "low": kappa - reach, "high": min(1.0, kappa + reach)}
