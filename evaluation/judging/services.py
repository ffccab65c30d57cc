"""Judge runs: start, work through, cancel, resume, report."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from agent.clients import api_key_of
from agent.connecting.services import snapshot
from agent.models import Judge
from annotation import audit
from annotation.checklists.schema import Template
from annotation.errors import InvalidInput, NotFound, Refused
from annotation.kinds.comparison import Side
from annotation.kinds.drawing import draw_first_side
from annotation.managing.services import LARGEST_SEED
from annotation.models import Study, Task, TaskSet, User
from annotation.version import CODE_VERSION
from evaluation.judging.asking import asker_for
from evaluation.judging.working import free_abandoned
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, Verdict

MAX_REPEATS = 50
MAX_LIMIT = 1_000_000
CHUNK = 1000


def start_run(
    study: Study,
    task_set: TaskSet,
    judge: Judge,
    *,
    limit: int | None = None,
    swap: bool = False,
    repeats: int = 1,
    seed: int | None = None,
    actor: User | None = None,
) -> JudgeRun:
    """Make a run with one row a question; the work is queued when the transaction commits.

    ``limit`` takes the first tasks only; ``seed`` (by default the study's) draws the orders.
    Raises ``InvalidInput`` for a kind that judges cannot answer or a bad count, ``Refused`` for an
    empty task set, ``ModelError`` when the judge's key is missing.
    """
    if limit is not None and not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(
            f"The limit must be at least 1 and at most {MAX_LIMIT:,}; leave it out to ask all."
        )
    if seed is not None and not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"The seed must be from 0 to {LARGEST_SEED:,}.")
    if not 1 <= repeats <= MAX_REPEATS:
        raise InvalidInput(f"Repeats must be 1 to {MAX_REPEATS}.")
    asker = asker_for(task_set.kind, Template.from_json(study.template.content), judge.params)
    api_key_of(judge)
    tasks = list(task_set.tasks.order_by("position").only("pk", "key", "position")[:limit])
    if not tasks:
        raise Refused(f"{task_set.key} has no tasks. Import some before asking a judge.")
    root = study.seed if seed is None else seed
    with transaction.atomic():
        run = JudgeRun.objects.create(
            study=study,
            task_set=task_set,
            judge=judge,
            judge_snapshot=snapshot(judge),
            prompt_hash=asker.prompt_hash(),
            code_version=CODE_VERSION,
            seed=root,
            swap=swap,
            repeats=repeats,
            limit=limit,
            started_by=actor,
        )
        JudgeTask.objects.bulk_create(_questions(run, tasks), batch_size=CHUNK)
        audit.log(
            "run.started",
            actor=actor,
            study=study,
            target=run,
            detail={"judge": judge.name, "task_set": task_set.key, "questions": len(tasks)},
        )
        _enqueue_on_commit(run)
    return run


def _questions(run: JudgeRun, tasks: Iterable[Task]) -> list[JudgeTask]:
    return [
        JudgeTask(
            run=run, task=task, repeat=repeat, swapped=swapped, first_side=_side(run, task, swapped)
        )
        for repeat in range(1, run.repeats + 1)
        for task in tasks
        for swapped in ((False, True) if run.swap else (False,))
    ]


def _side(run: JudgeRun, task: Task, swapped: bool) -> Side:
    side = draw_first_side(run.seed, "judge", task.key)
    return side.other if swapped else side


def _enqueue_on_commit(run: JudgeRun) -> None:
    from evaluation.judging.tasks import work_on_run

    transaction.on_commit(lambda: work_on_run.enqueue(run.pk))


def cancel_run(run: JudgeRun, *, actor: User | None = None) -> JudgeRun:
    """Stop asking. Verdicts so far stay. Raises ``Refused`` when the run has ended."""
    with transaction.atomic():
        run = JudgeRun.objects.select_for_update().get(pk=run.pk)
        if run.is_final:
            raise Refused(f"Run {run.pk} has ended already ({run.get_status_display().lower()}).")
        run.status = JudgeRun.Status.CANCELLED
        run.finished_at = timezone.now()
        run.save(update_fields=["status", "finished_at"])
        audit.log("run.cancelled", actor=actor, study=run.study, target=run)
    return run


def resume_run(run: JudgeRun, *, actor: User | None = None) -> JudgeRun:
    """Go on with a run that failed, was cancelled, or whose worker is gone.

    Answered questions are not asked again, nor those that a worker that may live holds: they
    come back when its lease is over (``working.LEASE_SECONDS``). Raises ``Refused`` when all is
    answered, ``ModelError`` when the judge's key is still missing.
    """
    api_key_of(run.judge)
    with transaction.atomic():
        run = JudgeRun.objects.select_for_update().get(pk=run.pk)
        if run.status == JudgeRun.Status.DONE:
            raise Refused(f"Run {run.pk} is done: there is nothing left to ask.")
        free_abandoned(run)
        run.judge_tasks.filter(status=JudgeTask.Status.PENDING).update(not_before=None)
        run.status = JudgeRun.Status.QUEUED
        run.error = ""
        run.finished_at = None
        run.save(update_fields=["status", "error", "finished_at"])
        audit.log("run.resumed", actor=actor, study=run.study, target=run)
        _enqueue_on_commit(run)
    return run


def run_by_id(study: Study, pk: int) -> JudgeRun:
    """Raises ``NotFound`` for a run of another study."""
    run = (
        JudgeRun.objects.filter(study=study, pk=pk)
        .select_related("judge", "task_set", "study__template")
        .first()
    )
    if run is None:
        raise NotFound(f"{study.slug} has no run {pk}.")
    return run


@dataclasses.dataclass(frozen=True)
class RunReport:
    """The state of a run in numbers.

    ``questions`` is all of them; ``failed`` counts those not scored, by kind; ``repairs`` counts
    what was mended in the answers that were read; tokens are None where no call reported any.
    """

    run: int
    status: str
    error: str
    questions: int
    waiting: int
    ok: int
    failed: dict[str, int]
    repairs: dict[str, int]
    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    tokens_estimated: bool
    served_models: list[str]

    @property
    def finished(self) -> int:
        return self.questions - self.waiting

    @property
    def not_scored(self) -> int:
        return sum(self.failed.values())

    def to_json(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        return {
            "run": self.run,
            "status": self.status,
            "error": self.error,
            "requests": self.questions,
            "ok": self.ok,
            "failed": self.failed,
            "waiting": self.waiting,
            "repairs": self.repairs,
            "calls": self.calls,
            # No answer is taken from a cache, and no price card is known: said, not guessed.
            "cached": 0,
            "tokens": {
                "prompt": self.prompt_tokens,
                "completion": self.completion_tokens,
                "estimated": self.tokens_estimated,
            },
            "cost": None,
            "served_models": self.served_models,
        }


def report_of(run: JudgeRun) -> RunReport:
    """Count the rows of ``run`` as they are now."""
    states = dict(run.judge_tasks.values_list("status").annotate(n=Count("pk")).order_by("status"))
    failed = dict(
        run.judge_tasks.filter(status=JudgeTask.Status.NOT_SCORED)
        .values_list("error_kind")
        .annotate(n=Count("pk"))
        .order_by("error_kind")
    )
    repairs: Counter[str] = Counter()
    for found in Verdict.objects.filter(judge_task__run=run).values_list("repairs", flat=True):
        repairs.update(found)
    calls = JudgeCall.objects.filter(judge_task__run=run)
    sums = calls.aggregate(
        calls=Count("pk"),
        prompt=Sum("prompt_tokens"),
        completion=Sum("completion_tokens"),
        estimated=Count("pk", filter=Q(tokens_estimated=True)),
    )
    served = calls.exclude(served_model="").values_list("served_model", flat=True)
    return RunReport(
        run=run.pk,
        status=run.status,
        error=run.error,
        questions=sum(states.values()),
        waiting=states.get("pending", 0) + states.get("running", 0),
        ok=states.get("done", 0),
        failed=failed,
        repairs=dict(sorted(repairs.items())),
        calls=sums["calls"],
        prompt_tokens=sums["prompt"],
        completion_tokens=sums["completion"],
        tokens_estimated=bool(sums["estimated"]),
        served_models=sorted(set(served.distinct())),
    )


def runs_of(study: Study) -> QuerySet[JudgeRun]:
    """The runs of ``study``, newest first, with ``n_questions``, ``n_ok`` and ``n_not_scored``."""
    return (
        study.judge_runs.select_related("judge", "task_set")
        .annotate(
            n_questions=Count("judge_tasks"),
            n_ok=Count("judge_tasks", filter=Q(judge_tasks__status=JudgeTask.Status.DONE)),
            n_not_scored=Count(
                "judge_tasks", filter=Q(judge_tasks__status=JudgeTask.Status.NOT_SCORED)
            ),
        )
        .order_by("-pk")
    )


def question_by_id(study: Study, pk: int) -> JudgeTask:
    """Raises ``NotFound`` for a question of another study."""
    question = (
        JudgeTask.objects.filter(run__study=study, pk=pk)
        .select_related("run__judge", "task__task_set", "task__case", "verdict")
        .first()
    )
    if question is None:
        raise NotFound(f"{study.slug} has no such question.")
    return question


def questions_on(study: Study, task_pk: int) -> tuple[Task, list[JudgeTask]] | None:
    """A task of ``study`` with the questions of all runs on it, newest run first; or None."""
    task = (
        Task.objects.filter(task_set__study=study, pk=task_pk)
        .select_related("task_set", "case")
        .first()
    )
    if task is None:
        return None
    questions = task.judge_tasks.select_related("run__judge", "task__task_set", "verdict")
    return task, list(questions.order_by("-run_id", "repeat", "swapped"))
