"""From rows of the database to tables with named axes: who said what of which task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import F

from annotation.kinds import comparison, style
from annotation.models import Answer, Assignment, Task, TaskSet
from evaluation.meta_evaluating.comparing import ComparisonRow, VerdictCell
from evaluation.meta_evaluating.rating import StyleRow
from evaluation.models import JudgeRun, JudgeTask


@dataclass(frozen=True)
class AnswerCounts:
    """What was left out of the votes of a task set, and how many came in."""

    submitted: int
    skipped: int


def annotators_of(task_set: TaskSet) -> list[str]:
    """Pseudonyms of everybody with a submitted answer in the set, in order."""
    return sorted(set(_votes(task_set).values_list("pseudonym", flat=True)))


def _votes(task_set: TaskSet):  # type: ignore[no-untyped-def]  # an annotated queryset has no name
    """The current submitted answers of the first round, with ``task_id`` and ``pseudonym``."""
    return Answer.objects.filter(
        assignment__task__task_set=task_set,
        assignment__round=1,
        assignment__current=F("pk"),
        outcome=Answer.Outcome.SUBMITTED,
        assignment__annotator__memberships__study=task_set.study_id,
    ).annotate(
        task_id=F("assignment__task_id"),
        pseudonym=F("assignment__annotator__memberships__pseudonym"),
    )


def count_answers(task_set: TaskSet) -> AnswerCounts:
    """Submitted and skipped answers of the first round."""
    given = Assignment.objects.filter(task__task_set=task_set, round=1)
    return AnswerCounts(
        submitted=given.filter(current__outcome=Answer.Outcome.SUBMITTED).count(),
        skipped=given.filter(current__outcome=Answer.Outcome.SKIPPED).count(),
    )


def _tasks(task_set: TaskSet) -> Iterable[Task]:
    return task_set.tasks.select_related("case").order_by("position")


def comparison_rows(task_set: TaskSet) -> list[ComparisonRow]:
    """Every task of a comparison set with the votes on it, in task order."""
    votes: dict[int, dict[str, comparison.SingleAnswer | comparison.ListAnswer]] = {}
    for task_id, pseudonym, payload in _votes(task_set).values_list(
        "task_id", "pseudonym", "payload"
    ):
        votes.setdefault(task_id, {})[pseudonym] = comparison.parse_answer(payload)
    return [
        ComparisonRow(
            task_id=task.pk,
            position=task.position,
            case=task.case.external_id,
            item=task.item_key,
            form=task.form,
            n_model=len(task.content["model"]),
            n_reference=len(task.content["reference"]),
            votes=dict(sorted(votes.get(task.pk, {}).items())),
        )
        for task in _tasks(task_set)
    ]


def style_rows(task_set: TaskSet) -> list[StyleRow]:
    """Every pair of a style set with the ratings of it, in task order."""
    votes: dict[int, dict[str, dict[str, int]]] = {}
    for task_id, pseudonym, payload in _votes(task_set).values_list(
        "task_id", "pseudonym", "payload"
    ):
        votes.setdefault(task_id, {})[pseudonym] = style.parse_answer(payload).ratings
    return [
        StyleRow(
            task_id=task.pk,
            position=task.position,
            case=task.case.external_id,
            votes=dict(sorted(votes.get(task.pk, {}).items())),
        )
        for task in _tasks(task_set)
    ]


def verdict_cells(run: JudgeRun) -> dict[int, VerdictCell]:
    """Task key -> the verdict in the drawn order, first repeat; questions still open are absent.

    A question that was not scored is a cell without an answer, with its reason.
    """
    questions = (
        run.judge_tasks.filter(repeat=1, swapped=False)
        .exclude(status__in=(JudgeTask.Status.PENDING, JudgeTask.Status.RUNNING))
        .values_list("pk", "task_id", "verdict__payload", "error_kind")
    )
    return {
        task_id: VerdictCell(
            question_id=pk,
            answer=comparison.parse_answer(payload) if payload is not None else None,
            reason=error_kind if payload is None else "",
        )
        for pk, task_id, payload, error_kind in questions
    }


def latest_runs(task_set: TaskSet) -> list[JudgeRun]:
    """For each judge, its newest finished run on the whole set, else its newest finished run."""
    found: dict[int, JudgeRun] = {}
    runs = task_set.judge_runs.filter(status=JudgeRun.Status.DONE).select_related("judge")
    for run in runs.order_by("-pk"):
        best = found.get(run.judge_id)
        if best is None or (best.limit is not None and run.limit is None):
            found[run.judge_id] = run
    return sorted(found.values(), key=lambda run: run.judge.name)
