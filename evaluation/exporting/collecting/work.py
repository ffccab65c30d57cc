"""Task sets, tasks, and everything that annotators did to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from annotation.errors import InvalidInput, Refused
from annotation.models import Answer, Assignment, Event, Task, TaskSet, Visit
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Row, moment_text
from evaluation.exporting.collecting.common import (
    FEW,
    Source,
    moment_or_none,
    require_right,
    template_ref,
)
from evaluation.exporting.reading import each, grouped, pieces, sorted_ids
from evaluation.exporting.rows import quotes_of

# Large columns that a row of the export does not hold, and those of tasks that most do not.
NOT_NEEDED = (
    "task__task_set__options",
    "task__task_set__source",
    "task__case__metadata",
    "task__summary__text",
    "task__summary__metadata",
    "current__payload",
    "current__metadata",
)
OF_TASKS = ("task__content", "task__metadata")


class WorkRows:
    """Rows of tasks, assignments, answers, events and visits."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def task_sets(self) -> Iterator[Row]:
        task_sets = self.source.study.task_sets.all()
        for task_set in each(task_sets, sorted_ids(task_sets, "key")):
            yield bundle.TaskSetRow(
                task_set=task_set.key,
                title=task_set.title,
                kind=task_set.kind,
                overlap=task_set.overlap,
                options=task_set.options,
                source=task_set.source,
                closed_at=moment_or_none(task_set.closed_at),
                created_at=moment_text(task_set.created_at),
            )

    def tasks(self) -> Iterator[Row]:
        tasks = (
            Task.objects.filter(task_set__study=self.source.study)
            .select_related("task_set", "case", "summary")
            .defer("summary__text")
        )
        for task in each(tasks, sorted_ids(tasks, "task_set__key", "position"), FEW):
            row = f"tasks.jsonl: {task.task_set.key} / {task.key}"
            self._check_quotes(row, task, None)
            if task.summary is not None and task.summary.case_id != task.case_id:
                raise Refused(f"{row}: it asks about a summary of another case ({task.summary}).")
            yield bundle.TaskRow(
                task_set=task.task_set.key,
                task=task.key,
                position=task.position,
                case=task.case.external_id,
                summary=task.summary.producer if task.summary else None,
                item_key=task.item_key,
                form=task.form,
                content=task.content,
                content_hash=task.content_hash,
                metadata=task.metadata,
                created_at=moment_text(task.created_at),
            )

    def _check_quotes(self, row: str, task: Task, payload: dict[str, Any] | None) -> None:
        try:
            content = task.content if payload is None else {}
            quotes = quotes_of(task.task_set.kind, content, payload)
        except InvalidInput as error:
            raise Refused(f"{row}: it cannot be read ({error.message}).") from error
        if not quotes:
            return
        if task.summary_id is None:
            raise Refused(f"{row}: it holds quotes, and its task names no summary.")
        require_right(row, quotes, self.source.texts.summary(task.summary_id))

    def assignment_ids(self, task_set: TaskSet | None = None) -> list[int]:
        """All assignments (of one set, if given), by set, task, pseudonym and round."""
        assignments = Assignment.objects.filter(task__task_set__study=self.source.study)
        if task_set is not None:
            assignments = assignments.filter(task__task_set=task_set)
        found = assignments.order_by().values_list(
            "task__task_set__key", "task__key", "annotator_id", "round", "pk"
        )
        return [
            row[-1]
            for row in sorted((s, t, self.source.people.of(a), r, pk) for s, t, a, r, pk in found)
        ]

    def _assignments_in_pieces(
        self, task_set: TaskSet | None = None, *, with_tasks: bool = False
    ) -> Iterator[list[Assignment]]:
        """All assignments, some at a time; ``with_tasks``: with what their tasks ask."""
        assignments = Assignment.objects.select_related(
            "task__task_set", "task__case", "task__summary", "current"
        ).defer(*NOT_NEEDED, *(() if with_tasks else OF_TASKS))
        for piece in pieces(self.assignment_ids(task_set)):
            found = assignments.in_bulk(piece)
            yield [found[pk] for pk in piece]

    def _names(self, assignment: Assignment) -> dict[str, Any]:
        return {
            "task_set": assignment.task.task_set.key,
            "task": assignment.task.key,
            "annotator": self.source.people.of(assignment.annotator_id),
            "round": assignment.round,
        }

    def pseudonym_of(self, assignment: Assignment) -> str:
        """Whose assignment it is, as exports say it. Raises ``Refused`` for a non-member."""
        return self.source.people.of(assignment.annotator_id)

    def assignments(self) -> Iterator[Row]:
        for piece in self._assignments_in_pieces():
            for assignment in piece:
                yield bundle.AssignmentRow(
                    **self._names(assignment),
                    position=assignment.position,
                    first_side=assignment.first_side,
                    status=assignment.status,
                    draft=assignment.draft,
                    version=assignment.version,
                    submitted_version=assignment.submitted_version,
                    current=assignment.current.version if assignment.current else None,
                    created_at=moment_text(assignment.created_at),
                    changed_at=moment_text(assignment.changed_at),
                )

    def given_answers(
        self, task_set: TaskSet | None = None, *, with_tasks: bool = False
    ) -> Iterator[list[tuple[Assignment, list[Answer]]]]:
        """Every assignment with all versions of its answer, oldest first; some at a time.
        ``with_tasks``: with what the tasks ask.

        Raises ``Refused`` when a quote is not what its text says.
        """
        answers = (
            Answer.objects.select_related("guideline", "template")
            .defer("guideline__text", "template__content", "template__source")
            .order_by("version")
        )
        for piece in self._assignments_in_pieces(task_set, with_tasks=with_tasks):
            by_assignment = grouped(answers, "assignment_id", [a.pk for a in piece])
            for assignment in piece:
                for answer in by_assignment[assignment.pk]:
                    if answer.payload is not None:
                        row = (
                            f"answers.jsonl: {assignment.task.task_set.key} / "
                            f"{assignment.task.key} / "
                            f"{self.source.people.of(assignment.annotator_id)} / "
                            f"version {answer.version}"
                        )
                        self._check_quotes(row, assignment.task, answer.payload)
            yield [(assignment, by_assignment[assignment.pk]) for assignment in piece]

    def answers(self) -> Iterator[Row]:
        for piece in self.given_answers():
            made_by = self._events_of([answer for _, answers in piece for answer in answers])
            for assignment, answers in piece:
                for answer in answers:
                    event = made_by.get((assignment.pk, answer.op_id))
                    yield self._answer(assignment, answer, event)

    @staticmethod
    def _events_of(answers: list[Answer]) -> dict[tuple[int, UUID], int]:
        """The versions of the events that made ``answers``, by assignment and act."""
        events = Event.objects.filter(
            assignment__in={answer.assignment_id for answer in answers},
            op_id__in=[answer.op_id for answer in answers],
        )
        found = events.values_list("assignment_id", "op_id", "version")
        return {(assignment, op_id): version for assignment, op_id, version in found}

    def _answer(self, assignment: Assignment, answer: Answer, event: int | None) -> Row:
        return bundle.AnswerRow(
            **self._names(assignment),
            version=answer.version,
            current=answer.pk == assignment.current_id,
            event=event,
            outcome=answer.outcome,
            payload=answer.payload,
            first_side=answer.first_side,
            comment=answer.comment,
            flagged=answer.flagged,
            skip_reason=answer.skip_reason,
            active_seconds=answer.active_seconds,
            wall_seconds=answer.wall_seconds,
            guideline=answer.guideline.version if answer.guideline else None,
            template=template_ref(answer.template),
            submitted_at=moment_text(answer.submitted_at),
            metadata=answer.metadata,
        )

    def events(self) -> Iterator[Row]:
        for piece in self._assignments_in_pieces():
            events = grouped(
                Event.objects.order_by("version"), "assignment_id", [a.pk for a in piece]
            )
            for assignment in piece:
                for event in events[assignment.pk]:
                    yield bundle.EventRow(
                        **self._names(assignment),
                        version=event.version,
                        action=event.action,
                        before=event.before,
                        after=event.after,
                        actor=self.source.people.of(event.actor_id),
                        at=moment_text(event.at),
                    )

    def visits(self) -> Iterator[Row]:
        ordered = Visit.objects.order_by("started_at", "last_seen_at", "active_seconds", "pk")
        for piece in self._assignments_in_pieces():
            visits = grouped(ordered, "assignment_id", [a.pk for a in piece])
            for assignment in piece:
                for number, visit in enumerate(visits[assignment.pk], 1):
                    yield bundle.VisitRow(
                        **self._names(assignment),
                        number=number,
                        started_at=moment_text(visit.started_at),
                        last_seen_at=moment_text(visit.last_seen_at),
                        active_seconds=visit.active_seconds,
                    )
