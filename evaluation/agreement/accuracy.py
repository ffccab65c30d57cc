"""A judge's single answers against the agreed human label: accuracy and its kin. PURE."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from evaluation.agreement.intervals import DEFAULT, FEW_CASES, FEWEST_CASES, UNIT_RANGE, Resampling
from evaluation.agreement.pooled import Clusters, Pooled, case_indices
from evaluation.agreement.quantiles import normal_quantile
from evaluation.agreement.ratings import MISSING, CodeArray, FloatArray, Label, Rating, encode_two
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import (
    NO_INTERVAL,
    NO_REASON,
    Agreement,
    Flag,
    Interval,
    Method,
    Reason,
)
from evaluation.agreement.tables import (
    LEVELS_SHOWN,
    IntArray,
    mean_of_defined,
    one_cell_each,
    ratio,
)

Answers = Sequence[Rating] | npt.NDArray[np.generic]


def accuracy(
    human: Answers,
    judge: Answers,
    *,
    levels: Sequence[Label] | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Share of units whose judge answer is the agreed human label, 0..1.

    ``human``: one label a unit, None where people did not agree (the unit is excluded and
    counted). ``judge``: one label a unit, None for an answer that is missing or cannot be used: it
    counts as disagreement; ``extra["valid_only"]`` leaves it out instead. ``levels``: the full
    scale. ``clusters``: the case of each unit; asks for an interval: Wilson's when no case has
    two units, otherwise the jackknife by case.

    ValueError: unequal lengths, a label outside ``levels``, Wilson's interval asked for with
    several units a case. Undefined: no unit with a human label (``no_units``).
    Source: Wilson 1927, JASA 22:209-212 (interval).

    >>> accuracy(["eq", "d", "d"], ["eq", "d", None]).value
    0.6666666666666666
    """
    result = _score(human, judge, levels, clusters, how, _accuracy)
    if clusters is None or how.method not in (None, Method.WILSON):
        return result
    entered = np.asarray([label is not None for label in human], dtype=bool)
    cases = case_indices(clusters)[entered]
    if len(np.unique(cases)) == len(cases):
        return replace(result, interval=_wilson_of(result, how.confidence))
    if how.method is Method.WILSON:
        raise ValueError(
            "Wilson's interval takes units as independent, but a case has several here; "
            "use jackknife_t."
        )
    return result


def balanced_accuracy(
    human: Answers,
    judge: Answers,
    *,
    levels: Sequence[Label] | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean over human labels of the share that the judge found (recall), 0..1.

    Inputs, errors and undefined cases as :func:`accuracy`. Labels that no human used have no
    recall and stay out of the mean.

    >>> balanced_accuracy(["eq", "eq", "d"], ["eq", "d", "d"]).value
    0.75
    """
    return _score(human, judge, levels, clusters, how, _balanced)


def macro_f1(
    human: Answers,
    judge: Answers,
    *,
    levels: Sequence[Label] | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean over labels of the F1 of judge against human, 0..1.

    Inputs, errors and undefined cases as :func:`accuracy`. Labels that neither side used have
    no F1 and stay out of the mean; a label that only one side used counts 0.

    >>> macro_f1(["eq", "eq", "d"], ["eq", "d", "d"]).value
    0.6666666666666666
    """
    return _score(human, judge, levels, clusters, how, _macro_f1)


def wilson_interval(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share of independent units.

    ``hits`` of ``n`` units, ``n`` at least 1. ValueError when ``hits`` is not in 0..n.

    >>> [round(limit, 6) for limit in wilson_interval(37, 50)]
    [0.604468, 0.841285]
    """
    if n < 1 or not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share.")
    z = normal_quantile(0.5 + confidence / 2)
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _wilson_of(result: Agreement, confidence: float) -> Interval:
    base = Interval(method=Method.WILSON, confidence=confidence, n_cases=result.n_units)
    if result.value is None:
        return replace(base, reason=Reason.UNDEFINED_VALUE)
    if result.n_units < FEWEST_CASES:
        return replace(base, reason=Reason.TOO_FEW_CASES)
    flags = (Flag.FEW_CASES,) if result.n_units < FEW_CASES else ()
    low, high = wilson_interval(round(result.value * result.n_units), result.n_units, confidence)
    return replace(base, low=low, high=high, flags=flags, design_effect=1.0)


def _score(
    human: Answers,
    judge: Answers,
    levels: Sequence[Label] | None,
    clusters: Clusters | None,
    how: Resampling,
    statistic: Statistic,
) -> Agreement:
    h, j, scale = encode_two(human, judge, levels, ("human", "judge"))
    q = max(1, len(scale))
    n_cells = q * (q + 1)
    cells = _cells(h, j, q)
    labelled = h != MISSING
    table = np.bincount(cells, minlength=n_cells + 1)[:n_cells].astype(np.float64)
    square = table.reshape(q, q + 1)
    value = float(statistic(square))
    valid = square.copy()
    valid[:, q] = 0.0
    if how.method is Method.WILSON:
        if statistic is not _accuracy:
            raise ValueError("Wilson's interval is for accuracy alone; use jackknife_t.")
        how = replace(how, method=None)
    interval = NO_INTERVAL
    if clusters is not None:
        interval = _pooled(cells, q, statistic).interval(clusters, how)
    return Agreement(
        value=None if math.isnan(value) else value,
        undefined_reason=Reason.NO_UNITS if math.isnan(value) else NO_REASON,
        n_units=int(labelled.sum()),
        n_raters=2,
        n_missing=int((h == MISSING).sum() + (j == MISSING).sum()),
        n_invalid=int((labelled & (j == MISSING)).sum()),
        n_excluded=int((~labelled).sum()),
        missing_rule="an unusable judge answer disagrees; a unit without a human label is left out",
        interval=interval,
        extra={
            "valid_only": float(statistic(valid)),
            "levels": scale.levels,
            "confusion": square[:, :q] if q <= LEVELS_SHOWN else None,
            "invalid": square[:, q],
        },
    )


def _cells(h: CodeArray, j: CodeArray, q: int) -> IntArray:
    """The cell (human level, judge level or, last, invalid) of each unit; a last one for none."""
    cells = h.astype(np.int64) * (q + 1) + np.where(j == MISSING, q, j)
    cells[h == MISSING] = q * (q + 1)
    return cells


def _pooled(cells: IntArray, q: int, statistic: Statistic) -> Pooled:
    rows, kind_of, used = one_cell_each(cells, q * (q + 1))
    return Pooled(
        rows=rows,
        kind_of=kind_of,
        statistic=_on_table(statistic, q),
        used=used,
        within=UNIT_RANGE,
    )


def _on_table(statistic: Statistic, q: int) -> Statistic:
    return lambda sums: statistic(sums.reshape(*sums.shape[:-1], q, q + 1))


def _hits(table: FloatArray) -> FloatArray:
    return np.diagonal(table[..., :-1], axis1=-2, axis2=-1)


def _accuracy(table: FloatArray) -> FloatArray:
    return ratio(_hits(table).sum(axis=-1), table.sum(axis=(-2, -1)))


def _balanced(table: FloatArray) -> FloatArray:
    return mean_of_defined(ratio(_hits(table), table.sum(axis=-1)))


def _macro_f1(table: FloatArray) -> FloatArray:
    both = table.sum(axis=-1) + table[..., :-1].sum(axis=-2)
    return mean_of_defined(ratio(2.0 * _hits(table), both))
