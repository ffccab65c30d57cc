"""Preparing the runs of judges with every request."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.exporting.bundle import (
    JudgeCallRow,
    JudgeRunRow,
    JudgeTaskRow,
    VerdictRow,
    moment_of,
)
from evaluation.exporting.loading.common import STUDY, Target, batches, found, moment_if
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, Verdict

FEW = 20
NAME_LENGTH = 80


def prepare_runs(target: Target, rows: Iterator[JudgeRunRow]) -> None:
    for row in rows:
        made = target.create(
            JudgeRun,
            [
                JudgeRun(
                    study_id=STUDY,
                    task_set_id=found(target.task_sets, row.task_set),
                    judge_id=found(target.judges, row.judge),
                    judge_snapshot=row.judge_snapshot,
                    prompt_hash=row.prompt_hash,
                    code_version=row.code_version,
                    seed=row.seed,
                    swap=row.swap,
                    repeats=row.repeats,
                    status=row.status,
                    error=row.error,
                    limit=row.limit,
                    started_by_id=target.member(row.started_by),
                    finished_at=moment_if(row.finished_at),
                )
            ],
            created_at=[moment_of(row.created_at)],
        )
        target.runs[row.run] = made[0].pk
        target.run_sets[row.run] = row.task_set


def prepare_questions(target: Target, rows: Iterator[JudgeTaskRow]) -> None:
    for batch in batches(rows):
        made = target.create(
            JudgeTask,
            [
                JudgeTask(
                    run_id=found(target.runs, row.run),
                    task_id=found(target.tasks, (found(target.run_sets, row.run), row.task)),
                    repeat=row.repeat,
                    swapped=row.swapped,
                    first_side=row.first_side,
                    status=row.status,
                    attempts=row.attempts,
                    error_kind=row.error_kind,
                    error=row.error,
                    finished_at=moment_if(row.finished_at),
                )
                for row in batch
            ],
        )
        keys = (row.identity() for row in batch)
        target.questions.update(zip(keys, (q.pk for q in made), strict=True))


def prepare_calls(target: Target, rows: Iterator[JudgeCallRow]) -> None:
    for batch in batches(rows, FEW):
        made = target.create(
            JudgeCall,
            [
                JudgeCall(
                    judge_task_id=found(target.questions, row.question()),
                    attempt=row.attempt,
                    request=row.request,
                    request_hash=row.request_hash,
                    reply=row.reply,
                    reply_text=row.reply_text,
                    error_kind=row.error_kind,
                    error=row.error,
                    served_model=row.served_model,
                    prompt_tokens=row.prompt_tokens,
                    cached_tokens=row.cached_tokens,
                    completion_tokens=row.completion_tokens,
                    reasoning_tokens=row.reasoning_tokens,
                    tokens_estimated=row.tokens_estimated,
                    seconds=row.seconds,
                    notes=row.notes,
                    tries=row.tries,
                    at=moment_of(row.at),
                )
                for row in batch
            ],
        )
        keys = (row.identity() for row in batch)
        target.calls.update(zip(keys, (call.pk for call in made), strict=True))


def prepare_verdicts(target: Target, rows: Iterator[VerdictRow]) -> None:
    for batch in batches(rows):
        target.create(
            Verdict,
            [
                Verdict(
                    judge_task_id=found(target.questions, row.question()),
                    call_id=found(target.calls, (*row.question(), row.attempt)),
                    payload=row.payload,
                    repairs=row.repairs,
                    explanation=row.explanation,
                    at=moment_of(row.at),
                )
                for row in batch
            ],
        )
