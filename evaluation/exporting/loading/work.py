"""Preparing task sets, tasks, and everything that annotators did to them."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Answer, Assignment, Event, Task, TaskSet, Visit
from evaluation.exporting.bundle import (
    AnswerRow,
    AssignmentRow,
    EventRow,
    TaskRow,
    TaskSetRow,
    VisitRow,
    moment_of,
)
from evaluation.exporting.loading.common import STUDY, Target, batches, found, moment_if

FEW = 20


def prepare_task_sets(target: Target, rows: Iterator[TaskSetRow]) -> None:
    read = list(rows)
    made = target.create(
        TaskSet,
        [
            TaskSet(
                study_id=STUDY,
                key=row.task_set,
                title=row.title,
                kind=row.kind,
                overlap=row.overlap,
                options=row.options,
                source=row.source,
                closed_at=moment_if(row.closed_at),
            )
            for row in read
        ],
        created_at=[moment_of(row.created_at) for row in read],
    )
    target.task_sets.update((task_set.key, task_set.pk) for task_set in made)


def prepare_tasks(target: Target, rows: Iterator[TaskRow]) -> None:
    for batch in batches(rows, FEW):
        made = target.create(
            Task,
            [
                Task(
                    task_set_id=found(target.task_sets, row.task_set),
                    key=row.task,
                    position=row.position,
                    case_id=found(target.cases, row.case),
                    summary_id=None
                    if row.summary is None
                    else found(target.summaries, (row.case, row.summary)),
                    item_key=row.item_key,
                    form=row.form,
                    content=row.content,
                    content_hash=row.content_hash,
                    metadata=row.metadata,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        keys = (row.identity() for row in batch)
        target.tasks.update(zip(keys, (task.pk for task in made), strict=True))


def prepare_assignments(target: Target, rows: Iterator[AssignmentRow]) -> None:
    """Finished ones stand as in progress until their answers are there: see ``prepare_answers``."""
    for batch in batches(rows):
        made = target.create(
            Assignment,
            [
                Assignment(
                    task_id=found(target.tasks, (row.task_set, row.task)),
                    annotator_id=found(target.members, row.annotator),
                    round=row.round,
                    position=row.position,
                    first_side=row.first_side,
                    status=row.status
                    if row.status in Assignment.OPEN
                    else Assignment.Status.IN_PROGRESS,
                    draft=row.draft,
                    version=row.version,
                    submitted_version=row.submitted_version,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
            changed_at=[moment_of(row.changed_at) for row in batch],
        )
        keys = (row.identity() for row in batch)
        target.assignments.update(zip(keys, (a.pk for a in made), strict=True))
        target.done.update((row.identity(), row.status) for row in batch if row.current is not None)


def prepare_answers(target: Target, rows: Iterator[AnswerRow]) -> None:
    """All versions; an answer has the id of the event that made it, as when it was given."""
    for batch in batches(rows):
        made = target.create(
            Answer,
            [
                Answer(
                    assignment_id=found(target.assignments, row.assignment()),
                    version=row.version,
                    op_id=target.op_id("answer", *row.identity())
                    if row.event is None
                    else target.op_id("event", *row.assignment(), row.event),
                    outcome=row.outcome,
                    payload=row.payload,
                    first_side=row.first_side,
                    comment=row.comment,
                    flagged=row.flagged,
                    skip_reason=row.skip_reason,
                    active_seconds=row.active_seconds,
                    wall_seconds=row.wall_seconds,
                    guideline_id=None
                    if row.guideline is None
                    else found(target.guidelines, row.guideline),
                    template_id=found(target.templates, (row.template.key, row.template.version)),
                    submitted_at=moment_of(row.submitted_at),
                    metadata=row.metadata,
                )
                for row in batch
            ],
        )
        done = [
            (found(target.done, row.assignment()), answer.pk, answer.assignment_id)
            for row, answer in zip(batch, made, strict=True)
            if row.current
        ]
        target.update(Assignment, ("status", "current"), done)


def prepare_events(target: Target, rows: Iterator[EventRow]) -> None:
    for batch in batches(rows):
        target.create(
            Event,
            [
                Event(
                    assignment_id=found(target.assignments, row.assignment()),
                    op_id=target.op_id("event", *row.identity()),
                    version=row.version,
                    action=row.action,
                    before=row.before,
                    after=row.after,
                    actor_id=found(target.members, row.actor),
                    at=moment_of(row.at),
                )
                for row in batch
            ],
        )


def prepare_visits(target: Target, rows: Iterator[VisitRow]) -> None:
    for batch in batches(rows):
        target.create(
            Visit,
            [
                Visit(
                    assignment_id=found(target.assignments, row.assignment()),
                    token=target.op_id("visit", *row.identity()),
                    started_at=moment_of(row.started_at),
                    last_seen_at=moment_of(row.last_seen_at),
                    active_seconds=row.active_seconds,
                )
                for row in batch
            ],
        )
