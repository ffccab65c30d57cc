"""Judges, their runs with every request, and saved figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.models import Judge
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Row, moment_text
from evaluation.exporting.collecting.common import FEW, Source, moment_or_none
from evaluation.exporting.reading import each, grouped, pieces, sorted_ids
from evaluation.models import JudgeCall, JudgeRun, JudgeTask, MetaEvaluation, Verdict


class JudgeRows:
    """Rows of judges, runs, questions, requests, verdicts and meta-evaluations."""

    def __init__(self, source: Source) -> None:
        self.source = source
        runs = source.study.judge_runs.order_by("pk").values_list("pk", flat=True)
        self.run_numbers = {pk: number for number, pk in enumerate(runs, 1)}

    def judges(self) -> Iterator[Row]:
        judges = Judge.objects.filter(runs__study=self.source.study).distinct()
        for judge in each(Judge.objects.all(), sorted_ids(judges, "name")):
            yield bundle.JudgeRow(judge=judge.name, **judge_settings(judge))

    def judge_runs(self) -> Iterator[Row]:
        runs = JudgeRun.objects.select_related("task_set", "judge")
        for run in each(runs, list(self.run_numbers)):
            yield bundle.JudgeRunRow(
                run=self.run_numbers[run.pk],
                task_set=run.task_set.key,
                judge=run.judge.name,
                judge_snapshot=run.judge_snapshot,
                prompt_hash=run.prompt_hash,
                code_version=run.code_version,
                seed=run.seed,
                swap=run.swap,
                repeats=run.repeats,
                status=run.status,
                error=run.error,
                limit=run.limit,
                started_by=self.source.people.if_member(run.started_by_id),
                created_at=moment_text(run.created_at),
                finished_at=moment_or_none(run.finished_at),
            )

    def _questions_in_pieces(self) -> Iterator[list[JudgeTask]]:
        questions = JudgeTask.objects.select_related("task").defer("task__content")
        for run in self.run_numbers:
            own = JudgeTask.objects.filter(run=run)
            for piece in pieces(sorted_ids(own, "task__key", "repeat", "swapped")):
                found = questions.in_bulk(piece)
                yield [found[pk] for pk in piece]

    def _question(self, question: JudgeTask) -> dict[str, Any]:
        return {
            "run": self.run_numbers[question.run_id],
            "task": question.task.key,
            "repeat": question.repeat,
            "swapped": question.swapped,
        }

    def judge_tasks(self) -> Iterator[Row]:
        for piece in self._questions_in_pieces():
            for question in piece:
                being_asked = question.status == JudgeTask.Status.RUNNING
                yield bundle.JudgeTaskRow(
                    **self._question(question),
                    first_side=question.first_side,
                    status=JudgeTask.Status.PENDING.value if being_asked else question.status,
                    attempts=question.attempts,
                    error_kind=question.error_kind,
                    error=question.error,
                    finished_at=moment_or_none(question.finished_at),
                )

    def judge_calls(self) -> Iterator[Row]:
        ordered = JudgeCall.objects.order_by("attempt")
        for piece in self._questions_in_pieces():
            for few in pieces(piece, FEW):
                calls = grouped(ordered, "judge_task_id", [q.pk for q in few])
                for question in few:
                    for call in calls[question.pk]:
                        yield self._judge_call(question, call)

    def _judge_call(self, question: JudgeTask, call: JudgeCall) -> Row:
        return bundle.JudgeCallRow(
            **self._question(question),
            attempt=call.attempt,
            request=call.request,
            request_hash=call.request_hash,
            reply=call.reply,
            reply_text=call.reply_text,
            error_kind=call.error_kind,
            error=call.error,
            served_model=call.served_model,
            prompt_tokens=call.prompt_tokens,
            cached_tokens=call.cached_tokens,
            completion_tokens=call.completion_tokens,
            reasoning_tokens=call.reasoning_tokens,
            tokens_estimated=call.tokens_estimated,
            seconds=call.seconds,
            notes=call.notes,
            tries=call.tries,
            at=moment_text(call.at),
        )

    def verdicts(self) -> Iterator[Row]:
        verdicts = Verdict.objects.select_related("call")
        for piece in self._questions_in_pieces():
            found = grouped(verdicts, "judge_task_id", [q.pk for q in piece])
            for question in piece:
                for verdict in found[question.pk]:
                    yield bundle.VerdictRow(
                        **self._question(question),
                        attempt=verdict.call.attempt,
                        payload=verdict.payload,
                        repairs=verdict.repairs,
                        explanation=verdict.explanation,
                        at=moment_text(verdict.at),
                    )

    def meta_evaluations(self) -> Iterator[Row]:
        saved = MetaEvaluation.objects.filter(study=self.source.study).order_by("pk")
        for number, row in enumerate(saved.iterator(chunk_size=1), 1):
            inputs, rows = with_runs(row.inputs, row.rows, self.run_numbers)
            yield bundle.MetaEvaluationRow(
                number=number,
                inputs=inputs,
                seed=row.seed,
                draws=row.draws,
                rows=rows,
                versions=row.versions,
                created_by=self.source.people.if_member(row.created_by_id),
                created_at=moment_text(row.created_at),
            )


def judge_settings(judge: Judge) -> dict[str, Any]:
    """What makes a judge the judge it is; never a key."""
    return {
        "kind": judge.kind,
        "base_url": judge.base_url,
        "model": judge.model,
        "api_key_env": judge.api_key_env,
        "params": judge.params,
        "timeout_seconds": judge.timeout_seconds,
        "concurrency": judge.concurrency,
        "is_anchored": judge.is_anchored,
    }


def with_runs(inputs: Any, rows: Any, names: dict[int, int]) -> tuple[Any, Any]:
    """The inputs and figures of a meta-evaluation with other names for the runs they mention.

    A run that has no other name (it is gone) becomes null.
    """
    if isinstance(inputs, dict) and isinstance(inputs.get("runs"), list):
        inputs = inputs | {"runs": [_named(run, names) for run in inputs["runs"]]}
    if isinstance(rows, list):
        rows = [
            row | {"run": _named(row["run"], names)}
            if isinstance(row, dict) and "run" in row
            else row
            for row in rows
        ]
    return inputs, rows


def _named(run: Any, names: dict[int, int]) -> int | None:
    return names.get(run) if isinstance(run, int) else None
