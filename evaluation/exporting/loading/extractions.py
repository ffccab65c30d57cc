"""Preparing runs that read the documents of a case, with what happened in each."""

from __future__ import annotations

from collections.abc import Iterator

from agent.models import ExtractionRun, RunStep
from evaluation.exporting.bundle import ExtractionRunRow, RunStepRow, moment_of
from evaluation.exporting.loading.common import Target, batches, found, moment_if

FEW = 20


def prepare_runs(target: Target, rows: Iterator[ExtractionRunRow]) -> None:
    for batch in batches(rows, FEW):
        made = target.create(
            ExtractionRun,
            [
                ExtractionRun(
                    case_id=found(target.cases, row.case),
                    checklist_id=target.checklist(row.case, row.checklist),
                    source=row.source,
                    source_file=row.source_file,
                    model=row.model,
                    method=row.method,
                    unit=row.unit,
                    steps=row.steps,
                    prompt_tokens=row.prompt_tokens,
                    completion_tokens=row.completion_tokens,
                    stop_reason=row.stop_reason,
                    stats=row.stats,
                    metadata=row.metadata,
                    started_at=moment_if(row.started_at),
                    finished_at=moment_if(row.finished_at),
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        target.extractions.update((row.run, m.pk) for row, m in zip(batch, made, strict=True))


def prepare_steps(target: Target, rows: Iterator[RunStepRow]) -> None:
    for batch in batches(rows, FEW):
        target.create(
            RunStep,
            [
                RunStep(
                    run_id=found(target.extractions, row.run),
                    kind=row.kind,
                    position=row.position,
                    step=row.step,
                    name=row.name,
                    text=row.text,
                    content=row.content,
                    at=moment_if(row.at),
                )
                for row in batch
            ],
        )
