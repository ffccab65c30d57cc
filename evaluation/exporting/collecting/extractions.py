"""Runs that read the documents of a case, with what happened in each."""

from __future__ import annotations

from collections.abc import Iterator

from agent.models import ExtractionRun, RunStep
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Row, moment_text
from evaluation.exporting.collecting.common import FEW, Source, checklist_ref, moment_or_none
from evaluation.exporting.reading import each


class ExtractionRows:
    """Rows of extraction runs and their steps."""

    def __init__(self, source: Source) -> None:
        self.source = source
        runs = ExtractionRun.objects.filter(case__study=source.study).order_by("pk")
        self.run_numbers = {pk: n for n, pk in enumerate(runs.values_list("pk", flat=True), 1)}

    def runs(self) -> Iterator[Row]:
        runs = ExtractionRun.objects.select_related("case", "checklist__summary").defer(
            "case__metadata", "checklist__metadata", "checklist__summary__text"
        )
        for run in each(runs, list(self.run_numbers), FEW):
            yield bundle.ExtractionRunRow(
                run=self.run_numbers[run.pk],
                case=run.case.external_id,
                checklist=checklist_ref(self.source, run.checklist, run.case_id),
                source=run.source,
                source_file=run.source_file,
                model=run.model,
                method=run.method,
                unit=run.unit,
                steps=run.steps,
                prompt_tokens=run.prompt_tokens,
                completion_tokens=run.completion_tokens,
                stop_reason=run.stop_reason,
                stats=run.stats,
                metadata=run.metadata,
                started_at=moment_or_none(run.started_at),
                finished_at=moment_or_none(run.finished_at),
                created_at=moment_text(run.created_at),
            )

    def steps(self) -> Iterator[Row]:
        for pk, number in self.run_numbers.items():
            own = RunStep.objects.filter(run=pk).order_by("kind", "position")
            for step in each(RunStep.objects.all(), list(own.values_list("pk", flat=True)), FEW):
                yield bundle.RunStepRow(
                    run=number,
                    kind=step.kind,
                    position=step.position,
                    step=step.step,
                    name=step.name,
                    text=step.text,
                    content=step.content,
                    at=moment_or_none(step.at),
                )
