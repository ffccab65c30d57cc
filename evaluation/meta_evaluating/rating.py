"""Figures of agreement on style ratings, from tables of votes. PURE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.kinds.style import ASPECTS, SCALE
from evaluation.agreement.alpha import Level, krippendorff_alpha, mean_alpha
from evaluation.agreement.intervals import Resampling
from evaluation.agreement.ratings import Rating
from evaluation.agreement.two_agree import two_agree
from evaluation.meta_evaluating.figures import Figure


@dataclass(frozen=True)
class StyleRow:
    """One pair of summaries and the ratings of it: pseudonym -> aspect -> 1..5."""

    task_id: int
    position: int
    case: str
    votes: Mapping[str, Mapping[str, int]]


def _ratings(rows: Sequence[StyleRow], names: Sequence[str], aspect: str) -> list[list[Rating]]:
    """Raters x pairs, None where somebody did not rate."""
    return [[row.votes.get(name, {}).get(aspect) for row in rows] for name in names]


def style_figures(rows: Sequence[StyleRow], how: Resampling) -> list[Figure]:
    """Ordinal alpha an aspect and its mean, and the share on which two of three agree."""
    names = sorted({name for row in rows for name in row.votes})
    by_aspect = {aspect: _ratings(rows, names, aspect) for aspect in ASPECTS}
    if not names:
        by_aspect = {aspect: [[None for _ in rows]] for aspect in ASPECTS}
    cases = [row.case for row in rows]
    levels = list(SCALE)
    plain = Figure(
        subject="humans",
        task="style",
        metric="alpha_ordinal",
        label="Krippendorff’s alpha, ordinal, mean of five aspects",
        rows_of="style",
        result=mean_alpha(by_aspect, level=Level.ORDINAL, levels=levels, clusters=cases, how=how),
    )
    found = [plain]
    for aspect, ratings in by_aspect.items():
        result = krippendorff_alpha(
            ratings, level=Level.ORDINAL, levels=levels, clusters=cases, how=how
        )
        found.append(
            replace(
                plain,
                label=f"Alpha, {aspect.replace('_', ' ')}",
                stratum=f"aspect={aspect}",
                result=result,
            )
        )
    # All aspects of a pair belong to its case, so they are pooled as units of that case.
    pooled = [
        [rating for aspect in ASPECTS for rating in by_aspect[aspect][rater]]
        for rater in range(len(next(iter(by_aspect.values()))))
    ]
    agree = two_agree(
        pooled, levels=levels, level=Level.ORDINAL, clusters=cases * len(ASPECTS), how=how
    )
    found.append(replace(plain, metric="two_agree", label="Two of three agree", result=agree))
    return found
