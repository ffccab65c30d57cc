"""What the agreement pages show, with a link from each figure to the rows behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.checklists.schema import Group, Template
from annotation.errors import NotFound
from annotation.kinds.comparison import ListAnswer, Pair, Relation, SingleAnswer
from annotation.kinds.style import ASPECTS
from annotation.managing.pages import RELATION_WORDS
from annotation.models import Study, TaskSet
from annotation.text.spans import Span, cut
from evaluation.agreement.intervals import Resampling
from evaluation.meta_evaluating import comparing, rating, tables
from evaluation.meta_evaluating.comparing import ComparisonRow, VerdictCell
from evaluation.meta_evaluating.covering import CoveredSummary
from evaluation.meta_evaluating.services import against_people, coverage_of
from evaluation.meta_evaluating.showing import Shown, show
from evaluation.models import JudgeRun, MetaEvaluation

# Nothing on a page is drawn at random: the jackknife by case needs no draws.
BROWSING = Resampling()


def comparison_sets(study: Study) -> list[TaskSet]:
    """The comparison sets of ``study``, in order."""
    return list(study.task_sets.filter(kind=TaskSet.Kind.COMPARISON).order_by("key"))


@dataclass(frozen=True)
class Card:
    """One judge on the scorecard."""

    run: JudgeRun
    shown: list[Shown]


@dataclass(frozen=True)
class ConfusionView:
    """One cell of the confusion table: how many, how dark, and in which words."""

    count: int
    shade: int
    human: str
    judge: str
    is_diagonal: bool


def scorecards(task_set: TaskSet) -> tuple[list[ComparisonRow], list[Card]]:
    """The votes on a set, and each judge's figures against their majority."""
    rows = tables.comparison_rows(task_set)
    cards = []
    for run in tables.latest_runs(task_set):
        computed = against_people(run, rows, BROWSING)
        cards.append(Card(run, [show(figure) for figure in computed.figures]))
    return rows, cards


def detail_of(run: JudgeRun, rows: Sequence[ComparisonRow], template: Template) -> dict[str, Any]:
    """Confusion table, lines by item, and what was left out, for one run."""
    cells = tables.verdict_cells(run)
    table = comparing.confusion(rows, cells)
    largest = max((cell.count for line in table for cell in line), default=0)
    return {
        "confusion": [
            {
                "human": RELATION_WORDS[line[0].human],
                "key": line[0].human.value,
                "cells": [_confusion_view(cell, largest) for cell in line],
                "total": sum(cell.count for cell in line),
            }
            for line in table
        ],
        "columns": [*(RELATION_WORDS[relation] for relation in Relation), "not scored"],
        "items": [
            {
                "line": line,
                "label": _label(template, line.item),
                "group": _group(template, line.item),
            }
            for line in comparing.by_item(rows, cells)
        ],
        "coverage": comparing.coverage(rows, cells),
    }


def _confusion_view(cell: comparing.ConfusionCell, largest: int) -> ConfusionView:
    return ConfusionView(
        count=cell.count,
        shade=round(10 * cell.count / largest) if largest else 0,
        human=cell.human.value,
        judge=cell.judge.value if cell.judge else "not_scored",
        is_diagonal=cell.human is cell.judge,
    )


def _label(template: Template, key: str) -> str:
    """The item's name; its key where the template does not know it."""
    item = template.item_for(key)
    return item.label if item else key


def _group(template: Template, key: str) -> Group | None:
    item = template.item_for(key)
    return template.group(item.group) if item else None


@dataclass(frozen=True)
class OpenedRow:
    """One task behind a figure, in words."""

    row: ComparisonRow
    item: str
    votes: list[tuple[str, str]]
    gold: str
    verdict: str
    question_id: int | None
    agrees: bool | None


@dataclass(frozen=True)
class RowFilter:
    """Which rows to show; empty fields do not filter."""

    form: str = ""
    item: str = ""
    human: str = ""
    judge: str = ""
    agreement: str = ""


def opened_rows(
    rows: Sequence[ComparisonRow],
    cells: dict[int, VerdictCell] | None,
    template: Template,
    wanted: RowFilter,
) -> list[OpenedRow]:
    """The rows behind the figures, filtered. ``cells`` is None for the annotators alone."""
    found = []
    for row in rows:
        cell = cells.get(row.task_id) if cells is not None else None
        if cells is not None and cell is None:
            continue
        if _fits(row, cell, wanted):
            found.append(_opened(row, cell, template))
    return found


def _fits(row: ComparisonRow, cell: VerdictCell | None, wanted: RowFilter) -> bool:
    if (wanted.form and row.form != wanted.form) or (wanted.item and row.item != wanted.item):
        return False
    if wanted.human and (row.gold_relation is None or row.gold_relation.value != wanted.human):
        return False
    if wanted.judge and (cell is None or _judge_key(cell) != wanted.judge):
        return False
    if wanted.agreement == "agree":
        return _agreement(row, cell) is True
    if wanted.agreement == "disagree":
        return _agreement(row, cell) is False
    if wanted.agreement == "no_gold":
        return bool(row.why_no_gold)
    return True


def _judge_key(cell: VerdictCell) -> str:
    if isinstance(cell.answer, SingleAnswer):
        return cell.answer.relation.value
    return "matching" if cell.answer else "not_scored"


def _agreement(row: ComparisonRow, cell: VerdictCell | None) -> bool | None:
    """Judge against the majority; without a judge, whether the annotators are unanimous."""
    if cell is not None:
        return comparing.agrees(row, cell)
    return row.is_unanimous if len(row.votes) >= comparing.MIN_ANSWERS else None


def _opened(row: ComparisonRow, cell: VerdictCell | None, template: Template) -> OpenedRow:
    return OpenedRow(
        row=row,
        item=_label(template, row.item),
        votes=[(name, _answer_words(vote)) for name, vote in row.votes.items()],
        gold=_gold_words(row),
        verdict=_verdict_words(cell),
        question_id=cell.question_id if cell else None,
        agrees=_agreement(row, cell),
    )


def _gold_words(row: ComparisonRow) -> str:
    if row.why_no_gold == comparing.TOO_FEW:
        return "fewer than two answers"
    if row.why_no_gold:
        return "no majority"
    if row.gold_relation:
        return RELATION_WORDS[row.gold_relation]
    return _pairs_words(row.gold_pairs or frozenset())


def _verdict_words(cell: VerdictCell | None) -> str:
    if cell is None:
        return ""
    return _answer_words(cell.answer) if cell.answer else f"not scored: {cell.reason}"


def _answer_words(answer: SingleAnswer | ListAnswer) -> str:
    if isinstance(answer, SingleAnswer):
        return RELATION_WORDS[answer.relation]
    return _pairs_words(frozenset(answer.pairs))


def _pairs_words(pairs: frozenset[Pair]) -> str:
    return ", ".join(f"{m + 1}–{r + 1}" for m, r in sorted(pairs)) or "no matches"


def human_page(task_set: TaskSet) -> dict[str, Any]:
    """Figures of the annotators among themselves on one set, and who agrees with whom."""
    if task_set.kind == TaskSet.Kind.STYLE:
        figures = rating.style_figures(tables.style_rows(task_set), BROWSING)
        return {"shown": [_with_chance(show(f)) for f in figures], "pairs": []}
    rows = tables.comparison_rows(task_set)
    figures = comparing.human_figures(rows, BROWSING)
    return {
        "shown": [_with_chance(show(f)) for f in figures],
        "pairs": comparing.annotator_pairs(rows),
    }


def _with_chance(shown: Shown) -> dict[str, Any]:
    chance = shown.figure.result.extra.get("chance")
    is_rate = shown.figure.metric == "two_agree" and chance is not None
    return {"shown": shown, "chance": f"{chance:.3f}" if is_rate else ""}


@dataclass(frozen=True)
class RatingTable:
    """Every rating of a style set: a line a pair and aspect, a column an annotator."""

    annotators: list[str]
    lines: list[tuple[int, str, str, list[int | None]]]

    def as_csv(self) -> tuple[list[str], list[list[object]]]:
        """Header and rows."""
        header = ["task", "case", "aspect", *self.annotators]
        return header, [[task, case, aspect, *given] for task, case, aspect, given in self.lines]


def rating_table(task_set: TaskSet, *, aspect: str = "") -> RatingTable:
    """The raw ratings behind the figures of a style set, of one aspect or all; empty for another
    kind.
    """
    rows = tables.style_rows(task_set) if task_set.kind == TaskSet.Kind.STYLE else []
    names = sorted({name for row in rows for name in row.votes})
    return RatingTable(
        names,
        [
            (
                row.position,
                row.case,
                rated.replace("_", " "),
                [row.votes.get(name, {}).get(rated) for name in names],
            )
            for row in rows
            for rated in ([aspect] if aspect in ASPECTS else ASPECTS)
        ],
    )


@dataclass(frozen=True)
class CoverageCard:
    """One judge: its figures, and the summaries they were computed from."""

    name: str
    anchored: bool
    shown: list[Shown]
    rows: list[CoveredSummary]


def coverage_cards(study: Study) -> list[CoverageCard]:
    """Each judge whose evidence can be laid beside people's, in order of name."""
    cards = []
    for name, rows in tables.covered_summaries(study).items():
        computed = coverage_of(name, rows, BROWSING)
        cards.append(
            CoverageCard(name, computed.anchored, [show(f) for f in computed.figures], rows)
        )
    return cards


@dataclass(frozen=True)
class CoveredPiece:
    """A run of text that is covered alike: by ``both``, ``people``, ``judge`` or nobody (empty)."""

    text: str
    by: str


def covered_pieces(text: str, people: list[Span], judge: list[Span]) -> list[CoveredPiece]:
    """``text``, cut wherever the evidence of people or of a judge begins or ends.

    Character by character, as it was marked; the figures count words.
    """
    return [CoveredPiece(piece, _BY[covered]) for piece, covered in cut(text, people, judge)]


_BY: dict[tuple[bool, ...], str] = {
    (True, True): "both",
    (True, False): "people",
    (False, True): "judge",
    (False, False): "",
}


def saved_by_id(study: Study, pk: int) -> MetaEvaluation:
    """Raises ``NotFound`` for a computation of another study."""
    found = study.meta_evaluations.filter(pk=pk).first()
    if found is None:
        raise NotFound(f"{study.slug} has no saved figures {pk}.")
    return found
