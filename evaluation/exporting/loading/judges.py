"""Storing judges, their runs with every request, and saved figures."""

from __future__ import annotations

from collections.abc import Iterator

from agent.models import Judge
from evaluation.exporting.bundle import (
    JudgeCallRow,
    JudgeRow,
    JudgeRunRow,
    JudgeTaskRow,
    MetaEvaluationRow,
    VerdictRow,
    moment_of,
)
from evaluation.exporting.collecting.judges import judge_settings, with_runs
from evaluation.exporting.loading.common import Target, batches, found, moment_if
from evaluation.exporting.loading.writing import create
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, MetaEvaluation, Verdict

FEW = 20
NAME_LENGTH = 80


def store_judges(target: Target, rows: Iterator[JudgeRow]) -> None:
    """A judge known here with the same settings is taken; else one is made, under another name
    where the name is taken. A judge that is made cannot be asked until an admin says so.
    """
    for row in rows:
        settings = {name: value for name, value in row.to_json().items() if name != "judge"}
        target.judges[row.judge] = _judge(row.judge, settings).pk


def _judge(name: str, settings: dict[str, object]) -> Judge:
    stem, number = name[: NAME_LENGTH - 6], 1
    while True:
        judge = Judge.objects.filter(name=name).first()
        if judge is None:
            is_baseline = settings["kind"] == Judge.Kind.RULES
            return Judge.objects.create(name=name, is_active=is_baseline, **settings)
        if judge_settings(judge) == settings:
            return judge
        number += 1
        name = f"{stem}-{number}"


def store_runs(target: Target, rows: Iterator[JudgeRunRow]) -> None:
    for row in rows:
        made = create(
            JudgeRun,
            [
                JudgeRun(
                    study=target.study,
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


def store_questions(target: Target, rows: Iterator[JudgeTaskRow]) -> None:
    for batch in batches(rows):
        made = create(
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


def store_calls(target: Target, rows: Iterator[JudgeCallRow]) -> None:
    for batch in batches(rows, FEW):
        made = create(
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


def store_verdicts(target: Target, rows: Iterator[VerdictRow]) -> None:
    for batch in batches(rows):
        create(
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


def store_meta_evaluations(target: Target, rows: Iterator[MetaEvaluationRow]) -> None:
    for row in rows:
        inputs, figures = with_runs(row.inputs, row.rows, target.runs)
        create(
            MetaEvaluation,
            [
                MetaEvaluation(
                    study=target.study,
                    inputs=inputs,
                    seed=row.seed,
                    draws=row.draws,
                    rows=figures,
                    versions=row.versions,
                    created_by_id=target.member(row.created_by),
                )
            ],
            created_at=[moment_of(row.created_at)],
        )
