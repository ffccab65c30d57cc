"""Answers as a CSV table, or in the shape of the original comparison tool."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from annotation.kinds import comparison, style
from annotation.managing.services import template_of
from annotation.models import Answer, Assignment, Study, Summary, Task, TaskSet, Visit
from annotation.records.csv_rows import (
    COMPARISON_HEADER,
    STYLE_HEADER,
    SUMMARY_HEADER,
    comparison_cells,
    style_cells,
)
from annotation.text.csv_text import Cell
from evaluation.exporting.bundle import ChecklistRow, FileEntry, ItemVerdictRow
from evaluation.exporting.checklist_cells import (
    EVIDENCE_HEADER,
    VALUES_HEADER,
    VERDICTS_HEADER,
    answered_evidence,
    answered_values,
    evidence_of,
    values_of,
    verdict_cells,
)
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.collecting.common import day_or_none
from evaluation.exporting.reading import each, grouped, sorted_ids
from evaluation.exporting.rows import (
    HEADER,
    INCLUDE,
    FileNames,
    Given,
    answer_cells,
    local,
    original_record,
)
from evaluation.exporting.writers import write_json, write_table

ANSWERS, VALUES, EVIDENCE = "answers.csv", "values.csv", "evidence.csv"
VERDICTS = "item_verdicts.csv"
COMPARISONS, STYLE_PAIRS, SUMMARIES = "comparisons.csv", "style_pairs.csv", "summaries.csv"
NO_PLACE = "no_place_in_this_format"


@dataclass
class Selection:
    """What of the answers is wanted, and what became of each."""

    include: frozenset[str]
    written: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def of(self, rows: Iterable[Given]) -> Iterator[Given]:
        """The wanted ones of ``rows``; every one is counted."""
        for given in rows:
            lacking = given.needs() - self.include
            self.left_out.update(lacking)
            if not lacking:
                self.written += 1
                yield given

    def leave_out(self, rows: Iterable[Given]) -> None:
        """Count ``rows``, for which a format has no place."""
        for _ in self.of(rows):
            self.written -= 1
            self.left_out[NO_PLACE] += 1

    def to_json(self) -> dict[str, Any]:
        return {
            "included": [name for name in INCLUDE if name in self.include],
            "counts": {
                "written": self.written,
                "left_out": {
                    **{name: self.left_out[name] for name in INCLUDE},
                    **({NO_PLACE: self.left_out[NO_PLACE]} if self.left_out[NO_PLACE] else {}),
                },
            },
        }


class AnswerTable:
    """The answers of a study, or of one of its task sets. Use it inside ``one_view``."""

    def __init__(self, study: Study, collector: Collector, task_set: TaskSet | None) -> None:
        self.study = study
        self.collector = collector
        self.task_set = task_set
        self.item_names = {item.key: item.label for item in template_of(study).items}

    def write_csv(self, folder: Path, selection: Selection) -> list[FileEntry]:
        """``answers.csv``, ``values.csv``, ``evidence.csv`` and ``item_verdicts.csv``, and the
        tables that can be imported again: ``comparisons.csv``, ``style_pairs.csv`` and
        ``summaries.csv``.
        """
        answers = (answer_cells(given) for given in selection.of(self.rows()))
        return [
            write_table(folder, ANSWERS, HEADER, answers),
            write_table(folder, VALUES, VALUES_HEADER, self._values(selection)),
            write_table(folder, EVIDENCE, EVIDENCE_HEADER, self._evidence(selection)),
            write_table(folder, VERDICTS, VERDICTS_HEADER, self._verdicts()),
            write_table(folder, COMPARISONS, COMPARISON_HEADER, self._comparisons()),
            write_table(folder, STYLE_PAIRS, STYLE_HEADER, self._style_pairs()),
            write_table(folder, SUMMARIES, SUMMARY_HEADER, self._summaries()),
        ]

    def _tasks(self, kind: str) -> Iterator[Task]:
        tasks = Task.objects.filter(task_set__study=self.study, task_set__kind=kind)
        if self.task_set is not None:
            tasks = tasks.filter(task_set=self.task_set)
        ids = sorted_ids(tasks, "task_set__key", "position")
        yield from each(tasks.select_related("case", "task_set"), ids)

    def _comparisons(self) -> Iterator[list[Cell]]:
        for task in self._tasks(TaskSet.Kind.COMPARISON):
            content = comparison.Content.model_validate(task.content)
            case = task.case.external_id
            yield comparison_cells(task.task_set.key, task.key, case, task.item_key, content)

    def _style_pairs(self) -> Iterator[list[Cell]]:
        for task in self._tasks(TaskSet.Kind.STYLE):
            content = style.Content.model_validate(task.content)
            yield style_cells(task.task_set.key, task.key, task.case.external_id, content)

    def _summaries(self) -> Iterator[list[Cell]]:
        """None for one task set: summaries belong to the whole study."""
        if self.task_set is not None:
            return
        summaries = Summary.objects.filter(case__study=self.study).select_related("case")
        for summary in each(summaries, sorted_ids(summaries, "case__external_id", "producer"), 20):
            case = summary.case
            yield [
                case.external_id, summary.producer, summary.kind, summary.text,
                day_or_none(case.filing_date), case.case_type, case.length_bin,
            ]  # fmt: skip

    def _values(self, selection: Selection) -> Iterator[list[Cell]]:
        for row in self._checklists():
            yield from values_of(row)
        for given in Selection(selection.include).of(self.rows()):
            yield from answered_values(given)

    def _evidence(self, selection: Selection) -> Iterator[list[Cell]]:
        for row in self._checklists():
            yield from evidence_of(row)
        for given in Selection(selection.include).of(self.rows()):
            yield from answered_evidence(given)

    def _checklists(self) -> Iterator[ChecklistRow]:
        """None for one task set: stored checklists belong to the whole study."""
        if self.task_set is None:
            rows = self.collector.rows(ChecklistRow.FILE)
            yield from (row for row in rows if isinstance(row, ChecklistRow))

    def _verdicts(self) -> Iterator[list[Cell]]:
        """None for one task set, likewise."""
        if self.task_set is None:
            rows = self.collector.rows(ItemVerdictRow.FILE)
            yield from (verdict_cells(row) for row in rows if isinstance(row, ItemVerdictRow))

    def write_original(self, folder: Path, selection: Selection) -> list[FileEntry]:
        """A file an answer in ``annotations/``, and one an annotator in ``progress/``."""
        names, files = FileNames(), []
        (folder / "annotations").mkdir()
        (folder / "progress").mkdir()
        for given in selection.of(self.rows()):
            at = local(given.at, self.study.time_zone)
            stem = f"{given.annotator}_{given.session}_{at:%Y%m%d_%H%M%S}"
            record = original_record(given, self.study.time_zone)
            files.append(write_json(folder, f"annotations/{names.take(stem)}", record))
        names = FileNames()
        for record in self._progress():
            name = names.take(f"{record['username']}_progress")
            files.append(write_json(folder, f"progress/{name}", record))
        return sorted(files, key=lambda entry: entry.path)

    def _progress(self) -> Iterator[dict[str, Any]]:
        """Each annotator's place: the first task that is not done, by its 0-based position."""
        opened: dict[str, list[int]] = {}
        last: dict[str, datetime] = {}
        ends: dict[str, int] = {}
        for piece in self.collector.work.given_answers(self.task_set):
            for assignment, _ in piece:
                who = self.collector.work.pseudonym_of(assignment)
                index = assignment.task.position - 1
                ends[who] = max(ends.get(who, 0), index + 1)
                last[who] = max(last.get(who, assignment.changed_at), assignment.changed_at)
                if not assignment.is_done:
                    opened.setdefault(who, []).append(index)
        for who in sorted(ends):
            yield {
                "username": who,
                "current_index": min(opened.get(who, [ends[who]])),
                "last_updated": local(last[who], self.study.time_zone).isoformat(),
            }

    def rows(self) -> Iterator[Given]:
        """All versions of all answers and all drafts, in the order of the bundle."""
        for piece in self.collector.work.given_answers(self.task_set, with_tasks=True):
            stays = grouped(
                Visit.objects.order_by("started_at", "pk"),
                "assignment_id",
                [a.pk for a, _ in piece],
            )
            for assignment, answers in piece:
                for answer in answers:
                    yield self._answer(assignment, answer, stays[assignment.pk])
                if assignment.status == Assignment.Status.IN_PROGRESS:
                    yield self._draft(assignment, stays[assignment.pk])

    def _answer(self, assignment: Assignment, answer: Answer, stays: list[Visit]) -> Given:
        metadata = answer.metadata if isinstance(answer.metadata, dict) else {}
        return Given(
            **self._task(assignment),
            version=answer.version,
            is_current=answer.pk == assignment.current_id,
            state=answer.outcome,
            at=answer.submitted_at,
            first_side=answer.first_side,
            payload=answer.payload,
            flagged=answer.flagged,
            comment=answer.comment,
            active_seconds=answer.active_seconds,
            wall_seconds=answer.wall_seconds,
            flag_reason=str(metadata.get("flag_reason", "")),
            skip_reason=answer.skip_reason,
            template=str(answer.template),
            guideline=answer.guideline.version if answer.guideline else None,
            session=_session(answer, stays),
        )

    def _draft(self, assignment: Assignment, stays: list[Visit]) -> Given:
        draft = assignment.draft
        return Given(
            **self._task(assignment),
            version=None,
            is_current=False,
            state="draft",
            at=assignment.changed_at,
            first_side=assignment.first_side,
            payload=draft,
            flagged=bool(draft.get("flagged", False)),
            comment=str(draft.get("comment", "")),
            active_seconds=sum(stay.active_seconds for stay in stays),
            wall_seconds=sum((s.last_seen_at - s.started_at).total_seconds() for s in stays),
            flag_reason=str(draft.get("flag_reason", "")),
        )

    def _task(self, assignment: Assignment) -> dict[str, Any]:
        task = assignment.task
        return {
            "task_set": task.task_set.key,
            "kind": task.task_set.kind,
            "task": task.key,
            "position": task.position,
            "case": task.case.external_id,
            "item_key": task.item_key,
            "item_name": task.metadata.get("item_name")
            or self.item_names.get(task.item_key)
            or task.key,
            "content": task.content,
            "summary": task.summary.producer if task.summary else None,
            "source_pair_idx": task.metadata.get("source_pair_idx"),
            "annotator": self.collector.work.pseudonym_of(assignment),
            "round": assignment.round,
        }


def _session(answer: Answer, stays: list[Visit]) -> uuid.UUID:
    """The stay in which an answer was given; for one that came without stays, its own id."""
    before = [stay.token for stay in stays if stay.started_at <= answer.submitted_at]
    return before[-1] if before else answer.op_id
