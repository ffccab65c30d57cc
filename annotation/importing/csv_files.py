"""Comparison pairs, style pairs and summaries from CSV files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from annotation.importing.formats import Manner
from annotation.importing.services import files_of, import_each
from annotation.importing.style import linked_tasks
from annotation.importing.summaries import StudySummaries
from annotation.importing.tasks import NewTask, TaskManner, import_tasks
from annotation.kinds import style
from annotation.managing.services import template_of
from annotation.models import Study
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
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "comparison",
    **how: Unpack[TaskManner],
) -> ImportReport:
    """Make comparison tasks from tables, a row a task; folders stand for their .csv files.

    Otherwise as :func:`annotation.importing.tasks.import_tasks`.
    """
    template = template_of(study)

    def read(path: Path, report: FileReport) -> list[NewTask]:
        rows = comparison_rows(read_table(path, COMPARISONS, report), template.key_for, report)
        return [_comparison_task(row) for row in rows]

    files, into = files_of(paths, SUFFIX), (task_set_key, "comparison")
    return import_tasks(files, study, into, read, kind=COMPARISON_CSV, **how)


def import_style_csv(
    paths: Iterable[Path], study: Study, *, task_set_key: str = "style", **how: Unpack[TaskManner]
) -> ImportReport:
    """Make style tasks from tables, as :func:`import_comparison_csv`.

    A task is linked to a stored summary of the same text.
    """

    def read(path: Path, report: FileReport) -> list[NewTask]:
        rows = style_rows(read_table(path, STYLE_PAIRS, report), report)
        tasks = linked_tasks(study, [_style_record(row) for row in rows], report)
        return [replace(task, place=row.place) for task, row in zip(tasks, rows, strict=True)]

    files, into = files_of(paths, SUFFIX), (task_set_key, "style")
    return import_tasks(files, study, into, read, kind=STYLE_CSV, **how)


def import_summary_csv(paths: Iterable[Path], study: Study, **how: Unpack[Manner]) -> ImportReport:
    """Store summaries, and what their rows say of cases, from tables.

    ``paths`` are files or folders (all their .csv files). The same file again changes nothing; a
    summary that is stored with another text is a problem. What a row says of a case fills what is
    not known of it; where both say something else the stored one stays, and it is counted.
    """

    def store(path: Path, report: FileReport) -> None:
        rows = summary_rows(read_table(path, SUMMARIES, report), report)
        summaries = StudySummaries(study, {row.case_id for row in rows}, report)
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

    return import_each(files_of(paths, SUFFIX), study, store, kind=SUMMARIES_CSV, **how)


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
