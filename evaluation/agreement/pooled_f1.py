"""F1 of hits pooled over cases, with every way to an interval by case. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evaluation.agreement import resampling
from evaluation.agreement.intervals import (
    DEFAULT,
    UNIT_RANGE,
    Resampling,
    bias_correction,
    interval_over_cases,
)
from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.result import NO_REASON, Agreement, Reason
from evaluation.agreement.tables import mean_of_defined, ratio


def pooled_f1(
    hits: Sequence[float],
    judge: Sequence[float],
    human: Sequence[float],
    *,
    how: Resampling = DEFAULT,
) -> Agreement:
    """2 * hits / (judge + human), each summed over cases, with its interval by case; 0..1.

    ``hits``, ``judge``, ``human``: one count a case, of matched things and of all things on
    either side; 0 or more, and no more hits than either side has.
    ``extra``: ``se`` of the jackknife, ``acceleration``, ``z0`` (of the exact bootstrap law for up
    to 8 cases, of the draws above that), ``z0_draws``, ``bootstrap_sd``, ``mean_of_cases``, and
    ``exact``: sd and 95 % limits of the exact law, up to 8 cases.

    ValueError: unequal lengths, negative counts, more hits than things. Undefined: nothing on
    either side (``no_matches``), no case (``no_units``). Source: Efron 1987, JASA 82:171-185.

    >>> pooled_f1([1, 2], [2, 2], [1, 3]).value
    0.75
    """
    totals = _totals(hits, judge, human)
    n_cases = len(totals)
    value = float(_f1(totals.sum(axis=0)))
    if math.isnan(value):
        return Agreement(
            value=None,
            undefined_reason=Reason.NO_MATCHES if n_cases else Reason.NO_UNITS,
            n_units=n_cases,
            n_raters=2,
            unit="case",
        )
    extra: dict[str, object] = {"mean_of_cases": float(mean_of_defined(_f1(totals)))}
    if n_cases > 1:
        extra |= _resampled(totals, value, how)
    return Agreement(
        value=value,
        undefined_reason=NO_REASON,
        n_units=n_cases,
        n_raters=2,
        unit="case",
        interval=interval_over_cases(totals, _f1, how, within=UNIT_RANGE),
        extra=extra,
    )


def _totals(hits: Sequence[float], judge: Sequence[float], human: Sequence[float]) -> FloatArray:
    if not len(hits) == len(judge) == len(human):
        raise ValueError(
            f"hits, judge and human have {len(hits)}, {len(judge)} and {len(human)} cases; they "
            "need one count a case each."
        )
    totals = np.array([hits, judge, human], dtype=np.float64).T.reshape(len(hits), 3)
    if (totals < 0).any():
        raise ValueError("Counts cannot be negative.")
    over = np.flatnonzero(totals[:, 0] > totals[:, 1:].min(axis=1))
    if len(over):
        raise ValueError(f"Case {over[0] + 1} has more hits than one of its sides has things.")
    return totals


def _f1(sums: FloatArray) -> FloatArray:
    return ratio(2.0 * sums[..., 0], sums[..., 1] + sums[..., 2])


def _resampled(totals: FloatArray, value: float, how: Resampling) -> dict[str, object]:
    left_out = resampling.leave_one_out(totals, _f1)
    draws = resampling.bootstrap(totals, _f1, draws=how.draws, seed=how.seed)
    draws = draws[~np.isnan(draws)]
    z0 = bias_correction(draws, value)
    found: dict[str, object] = {
        "se": resampling.jackknife_se(left_out),
        "acceleration": resampling.acceleration(left_out),
        "z0": z0,
        "z0_draws": z0,
        "bootstrap_sd": float(draws.std()),
    }
    if resampling.law_size(len(totals)) <= resampling.MAX_LAW:
        values, probabilities = resampling.bootstrap_law(totals, _f1)
        found |= {
            "z0": bias_correction(values, value, probabilities),
            "exact": _summary_of_law(values, probabilities),
        }
    return found


def _summary_of_law(values: FloatArray, probabilities: FloatArray) -> dict[str, float]:
    """Standard deviation and 2.5 and 97.5 % points: the first value whose share reaches them."""
    mean = float(probabilities @ values)
    order = np.argsort(values)
    reached = np.cumsum(probabilities[order])
    low, high = (float(values[order][np.searchsorted(reached, share)]) for share in (0.025, 0.975))
    sd = math.sqrt(float(probabilities @ (values - mean) ** 2))
    return {"sd": sd, "low": low, "high": high}
