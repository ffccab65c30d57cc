"""Comparison pairs, style pairs and summaries from CSV files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importing.formats import Progress, no_progress
from annotation.importing.services import import_file, json_files, keep_report, rehearsed
from annotation.importing.style import linked_tasks
from annotation.importing.summaries import StudySummaries
from annotation.importing.tasks import NewTask, WantedSet, import_tasks
from annotation.kinds import style
from annotation.managing.services import template_of
from annotation.models import Study, User
from annotation.records.csv_rows import (
    COMPARISONS,
    STYLE_PAIRS,
    SUMMARIES,
    PairRow,
    comparison_rows,
    style_rows,
    summary_rows,
)
from annotation.records.csv_table import read_table
from annotation.records.report import FileReport, ImportReport
from annotation.records.style_file import StyleRecord

SUFFIX = ".csv"
COMPARISON_CSV, STYLE_CSV, SUMMARIES_CSV = "csv-comparison", "csv-style", "csv-summaries"


def import_comparison_csv(
    paths: Iterable[Path], study: Study, *, task_set_key: str = "comparison", **wanted: Any
) -> ImportReport:
    """Make comparison tasks from tables, a row a task; see :func:`_into_tasks`."""
    template = template_of(study)

    def read(path: Path, report: FileReport) -> list[NewTask]:
        rows = comparison_rows(read_table(path, COMPARISONS, report), template.key_for, report)
        return [_comparison_task(row) for row in rows]

    return _into_tasks(paths, study, read, task_set_key, "comparison", COMPARISON_CSV, **wanted)


def import_style_csv(
    paths: Iterable[Path], study: Study, *, task_set_key: str = "style", **wanted: Any
) -> ImportReport:
    """Make style tasks from tables, a row a task; see :func:`_into_tasks`. A task is linked to a
    stored summary of the same text.
    """

    def read(path: Path, report: FileReport) -> list[NewTask]:
        rows = style_rows(read_table(path, STYLE_PAIRS, report), report)
        tasks = linked_tasks(study, [_style_record(row) for row in rows], report)
        return [replace(task, place=row.place) for task, row in zip(tasks, rows, strict=True)]

    return _into_tasks(paths, study, read, task_set_key, "style", STYLE_CSV, **wanted)


def import_summary_csv(
    paths: Iterable[Path],
    study: Study,
    *,
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """Store summaries, and what their rows say of cases, from tables.

    ``paths`` are files or folders (all their .csv files). The same file again changes nothing; a
    summary that is stored with another text is a problem. What a row says of a case fills what is
    not known of it; where both say something else the stored one stays, and it is counted.
    """
    files = json_files(paths, SUFFIX)
    report = ImportReport()
    with rehearsed(dry_run):
        for done, path in enumerate(files):
            file_report = FileReport(str(path))
            report.files.append(file_report)

            def store(path: Path = path, file_report: FileReport = file_report) -> None:
                rows = summary_rows(read_table(path, SUMMARIES, file_report), file_report)
                summaries = StudySummaries(study, {row.case_id for row in rows}, file_report)
                for row in rows:
                    summaries.describe_case(
                        row.case_id,
                        filing_date=row.filing_date,
                        case_type=row.case_type,
                        length_bin=row.length_bin,
                    )
                    summaries.put(
                        row.case_id,
                        row.side,
                        row.producer,
                        row.text,
                        place=row.place,
                        metadata={"file": path.name, **row.metadata},
                    )

            import_file(study, file_report, store, accept_partial=accept_partial)
            progress(done + 1, len(files))
    if not dry_run:
        source = ", ".join(map(str, files))
        keep_report(study, report, source=source, kind=SUMMARIES_CSV, actor=actor)
    return report


def _into_tasks(
    paths: Iterable[Path],
    study: Study,
    read: Callable[[Path, FileReport], list[NewTask]],
    task_set_key: str,
    kind: str,
    format_: str,
    *,
    overlap: int = 3,
    options: Mapping[str, Any] | None = None,
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """As :func:`annotation.importing.tasks.import_tasks`; folders stand for their .csv files."""
    return import_tasks(
        json_files(paths, SUFFIX),
        study,
        WantedSet(task_set_key, kind, overlap, options or {}),
        read,
        kind=format_,
        accept_partial=accept_partial,
        dry_run=dry_run,
        actor=actor,
        progress=progress,
    )


def _comparison_task(row: PairRow) -> NewTask:
    content = row.content.model_dump(mode="json")
    return NewTask(
        key=row.key,
        case_id=row.case_id,
        content=content,
        place=row.place,
        item_key=row.item_key,
        form=content["form"],
        metadata={
            "item_name": row.item_name,
            **({"columns": dict(row.metadata)} if row.metadata else {}),
        },
    )


def _style_record(row: PairRow) -> StyleRecord:
    return StyleRecord(
        key=row.key,
        case_id=row.case_id,
        model=row.model,
        position=int(row.place.split()[-1]),
        content=style.Content.model_validate(row.content.model_dump()),
        metadata=row.metadata,
    )
