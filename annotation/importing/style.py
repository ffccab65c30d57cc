"""Style tasks from the writing style interface's files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from annotation.importing.services import files_of
from annotation.importing.tasks import NewTask, TaskManner, import_tasks
from annotation.models import Study, Summary
from annotation.records.report import FileReport, ImportReport
from annotation.records.style_file import StyleRecord, read_styles


def import_styles(
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "style",
    **how: Unpack[TaskManner],
) -> ImportReport:
    """Make style tasks from the writing style interface's files.

    A task is linked to a stored summary of its case where the text is the same, letter by letter.
    Otherwise as :func:`annotation.importing.comparison.import_comparisons`.
    """

    def read(path: Path, report: FileReport) -> list[NewTask]:
        return linked_tasks(study, read_styles(path, report), report)

    return import_tasks(files_of(paths), study, (task_set_key, "style"), read, kind="style", **how)


def linked_tasks(study: Study, records: list[StyleRecord], report: FileReport) -> list[NewTask]:
    """The tasks of ``records``. ``report.found`` counts the texts that are stored as summaries."""
    stored: dict[str, list[Summary]] = {}
    cases = {record.case_id for record in records}
    summaries = Summary.objects.filter(case__study=study, case__external_id__in=cases)
    for summary in sorted(summaries.select_related("case"), key=lambda s: s.producer):
        stored.setdefault(summary.case.external_id, []).append(summary)
    return [_new_task(record, stored.get(record.case_id, []), report) for record in records]


def _new_task(record: StyleRecord, stored: list[Summary], report: FileReport) -> NewTask:
    content = record.content
    models = [s for s in stored if s.kind == Summary.Kind.MODEL and s.text == content.model_text]
    # Two models may have written the same; the one that the file names comes first.
    models.sort(key=lambda summary: summary.producer != record.model)
    references = [
        s for s in stored if s.kind == Summary.Kind.REFERENCE and s.text == content.reference_text
    ]
    if models:
        report.found["linked_model_summaries"] += 1
    if references:
        report.found["linked_references"] += 1
    fields = {"pair_fields": dict(record.metadata)} if record.metadata else {}
    return NewTask(
        key=record.key,
        case_id=record.case_id,
        content=content.model_dump(mode="json"),
        place=f"keys[{record.position}]",
        summary=models[0] if models else None,
        metadata={
            "model": record.model,
            "model_summary": models[0].producer if models else None,
            "reference_summary": references[0].producer if references else None,
            "source_position": record.position,
            **fields,
        },
    )
