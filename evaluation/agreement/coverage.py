"""Which words of a text two sets of evidence cover: agreement word by word. PURE."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from evaluation.agreement.intervals import (
    CHANCE_CORRECTED,
    DEFAULT,
    UNIT_RANGE,
    Range,
    Resampling,
)
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import NO_REASON, Agreement, Flag, Reason, Undefined
from evaluation.agreement.tables import prevalence_flags, ratio

Words = Sequence[int] | npt.NDArray[np.generic]
"""0 or 1 a word: whether evidence covers it."""


class Measure(StrEnum):
    """What ``coverage`` computes of the same words."""

    MICRO = "micro"
    MACRO = "macro"
    KAPPA = "kappa"
    F1_COVERED = "f1_covered"
    F1_RESIDUAL = "f1_residual"


_BOTH, _HUMAN, _JUDGE, _NEITHER, _SHARE, _SUMMARIES, _TERMS = range(7)
"""What a summary adds: words that both cover, the human alone, the judge alone, nobody; its share
of agreement; 1. A summary without words adds nothing."""


def coverage(
    human: Sequence[Words],
    judge: Sequence[Words],
    *,
    measure: Measure = Measure.MICRO,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Share of the words on which a judge's evidence and people's agree, 0..1.

    ``human``, ``judge``: one sequence a summary, in it 0 or 1 a word (covered or not). A word is
    covered when any evidence touches it; ``annotation.text.spans`` makes the words. ``measure``:
    pool the words of all summaries, take the mean over summaries, Cohen's kappa of the pooled words
    (at most 1), or the F1 of covered and of uncovered words. ``clusters``: the case of each
    summary; asks for an interval. ``extra``: every measure (None where undefined) and the four
    counts ``both``, ``human_only``, ``judge_only``, ``neither``.

    A judge that covers everything agrees on all that the human covers, with kappa 0 and residual
    F1 0: never show the share alone.

    ValueError: unequal numbers of summaries or of words, a word that is not 0 or 1. Undefined: no
    word at all (``no_units``); kappa when both cover everything or both nothing
    (``no_variation``); an F1 when neither side has such a word (``no_matches``).
    Source: meta-evaluation of word coverage, arXiv 2601.04424, section 5; Cohen 1960 for kappa.

    >>> coverage([[1, 1, 0, 0]], [[1, 0, 0, 0]]).value
    0.75
    """
    measure = Measure(measure)
    rows = _rows(human, judge)
    statistic = _MEASURES[measure]
    pooled = Pooled(
        rows=rows, statistic=statistic, used=rows[:, _SUMMARIES] > 0, within=_RANGES[measure]
    )
    sums = rows.sum(axis=0)
    value = pooled.value()
    n_words = int(sums[: _NEITHER + 1].sum())
    return Agreement(
        value=value,
        undefined_reason=NO_REASON if value is not None else _why(measure, n_words),
        n_units=n_words,
        n_raters=2,
        n_excluded=0,
        unit="word",
        missing_rule="evidence that was not located covers nothing",
        interval=interval_if_asked(pooled, clusters, how),
        flags=_flags(sums),
        extra={
            **{name.value: float(of(sums)) for name, of in _MEASURES.items()},
            "both": int(sums[_BOTH]),
            "human_only": int(sums[_HUMAN]),
            "judge_only": int(sums[_JUDGE]),
            "neither": int(sums[_NEITHER]),
            "n_summaries": int(sums[_SUMMARIES]),
        },
    )


def _rows(human: Sequence[Words], judge: Sequence[Words]) -> FloatArray:
    if len(human) != len(judge):
        raise ValueError(
            f"human has {len(human)} summaries and judge has {len(judge)}; they need the same, in "
            "the same order."
        )
    rows = np.zeros((len(human), _TERMS))
    for place, (one, other) in enumerate(zip(human, judge, strict=True)):
        h, j = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        if h.shape != j.shape or h.ndim != 1:
            raise ValueError(
                f"summary {place + 1} has {h.size} words for human and {j.size} for judge; both "
                "need 0 or 1 for each word."
            )
        if h.size and not (np.isin(h, (0, 1)).all() and np.isin(j, (0, 1)).all()):
            raise ValueError(f"summary {place + 1} has a word that is neither 0 nor 1.")
        if h.size:
            cells = np.bincount(3 - 2 * h - j, minlength=4)
            rows[place, : _NEITHER + 1] = cells
            rows[place, _SHARE] = (cells[_BOTH] + cells[_NEITHER]) / h.size
            rows[place, _SUMMARIES] = 1.0
    return rows


def _micro(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., _BOTH] + sums[..., _NEITHER], sums[..., : _NEITHER + 1].sum(axis=-1))


def _macro(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., _SHARE], sums[..., _SUMMARIES])


def _kappa(sums: FloatArray) -> FloatArray:
    n = sums[..., : _NEITHER + 1].sum(axis=-1)
    human, judge = sums[..., _BOTH] + sums[..., _HUMAN], sums[..., _BOTH] + sums[..., _JUDGE]
    # Disagreement expected from how much each covers, times n twice.
    expected = human * (n - judge) + (n - human) * judge
    return 1.0 - ratio((sums[..., _HUMAN] + sums[..., _JUDGE]) * n, expected)


def _f1_of(common: int) -> Statistic:
    def statistic(sums: FloatArray) -> FloatArray:
        twice = 2.0 * sums[..., common]
        return ratio(twice, twice + sums[..., _HUMAN] + sums[..., _JUDGE])

    return statistic


_MEASURES: dict[Measure, Statistic] = {
    Measure.MICRO: _micro,
    Measure.MACRO: _macro,
    Measure.KAPPA: _kappa,
    Measure.F1_COVERED: _f1_of(_BOTH),
    Measure.F1_RESIDUAL: _f1_of(_NEITHER),
}
_RANGES: dict[Measure, Range] = dict.fromkeys(Measure, UNIT_RANGE) | {
    Measure.KAPPA: CHANCE_CORRECTED
}


def _why(measure: Measure, n_words: int) -> Undefined:
    if not n_words:
        return Reason.NO_UNITS
    return Reason.NO_VARIATION if measure is Measure.KAPPA else Reason.NO_MATCHES


def _flags(sums: FloatArray) -> tuple[Flag, ...]:
    covered = 2.0 * sums[_BOTH] + sums[_HUMAN] + sums[_JUDGE]
    total = 2.0 * sums[: _NEITHER + 1].sum()
    return prevalence_flags(np.array([total - covered, covered])) if total else ()
