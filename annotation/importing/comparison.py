"""Comparison tasks from the comparison interface's files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from annotation.importing.services import files_of
from annotation.importing.tasks import NewTask, TaskManner, import_tasks
from annotation.managing.services import template_of
from annotation.models import Study
from annotation.records.comparison_file import ComparisonRecord, read_comparisons
from annotation.records.report import FileReport, ImportReport


def import_comparisons(
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "comparison",
    **how: Unpack[TaskManner],
) -> ImportReport:
    """Make comparison tasks from the comparison interface's files.

    ``paths`` are files or folders (all their .json files). Importing a file again changes nothing;
    a pair whose key is stored with other content is a problem, for tasks never change.
    Raises ``InvalidInput`` when a folder holds no .json file or the task set is of another kind.
    """
    template = template_of(study)

    def read(path: Path, report: FileReport) -> list[NewTask]:
        return [new_task(record) for record in read_comparisons(path, template.key_for, report)]

    return import_tasks(
        files_of(paths), study, (task_set_key, "comparison"), read, kind="comparison", **how
    )


def new_task(record: ComparisonRecord) -> NewTask:
    """The task that a pair of a file becomes."""
    return NewTask(
        key=record.key,
        case_id=record.case_id,
        content=record.content.model_dump(mode="json"),
        place=f"keys[{record.position}]",
        item_key=record.item_key,
        form=record.content.form,
        metadata={
            "item_name": record.item_name,
            "source_pair_idx": record.source_pair_idx,
            "source_position": record.position,
            **dict(record.metadata),
        },
    )
