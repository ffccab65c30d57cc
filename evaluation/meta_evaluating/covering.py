"""Figures of agreement on which words of a summary the evidence covers. PURE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.agreement.coverage import Measure, coverage
from evaluation.agreement.intervals import Resampling
from evaluation.meta_evaluating.figures import Figure


@dataclass(frozen=True)
class CoveredSummary:
    """One summary, word by word: whether people's evidence covers it, and whether the judge's.

    ``human`` and ``judge`` hold 0 or 1 a word. ``unlocated`` counts the judge's quotes that stand
    nowhere in the summary and so cover nothing. ``anchored``: the people started from this judge's
    values.
    """

    case: str
    checklist_id: int
    human: Sequence[int]
    judge: Sequence[int]
    unlocated: int
    anchored: bool

    @property
    def same(self) -> int:
        """Words on which both agree."""
        return sum(h == j for h, j in zip(self.human, self.judge, strict=True))

    @property
    def share(self) -> float | None:
        """``same`` as a share of the words, 0..1; None for a summary without words."""
        return self.same / len(self.human) if self.human else None

    @property
    def human_share(self) -> float | None:
        """Share of the words that people's evidence covers, 0..1."""
        return sum(self.human) / len(self.human) if self.human else None

    @property
    def judge_share(self) -> float | None:
        """Share of the words that the judge's evidence covers, 0..1."""
        return sum(self.judge) / len(self.judge) if self.judge else None


def coverage_figures(subject: str, rows: Sequence[CoveredSummary], how: Resampling) -> list[Figure]:
    """Agreement by word, as the mean over summaries, and corrected for chance (kappa).

    A judge that marks everything scores the share that people cover, so the three stand together.
    """
    human, judge = [row.human for row in rows], [row.judge for row in rows]
    cases = [row.case for row in rows]
    return [
        Figure(
            subject=subject,
            task="extraction",
            metric=metric,
            label=label,
            rows_of="coverage",
            result=coverage(human, judge, measure=measure, clusters=cases, how=how),
        )
        for metric, measure, label in _FIGURES
    ]


_FIGURES = (
    ("coverage", Measure.MICRO, "Same, by word"),
    ("coverage_macro", Measure.MACRO, "Same, mean by summary"),
    ("coverage_kappa", Measure.KAPPA, "Kappa"),
)
