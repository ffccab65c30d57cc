"""The formats that this app imports by itself."""

from __future__ import annotations

from annotation.importing.formats import FormatField, ImportFormat, ImportRequest, register
from annotation.importing.services import import_comparisons
from annotation.records.report import ImportReport

TASK_SET = FormatField("task_set", "Task set", "Letters, digits, - and _; made if it is new.")
OVERLAP = FormatField("overlap", "Annotators a task", "Of a new task set.", 3)


def register_formats() -> None:
    """Called once, when the app is ready."""
    register(
        ImportFormat(
            key="comparison",
            label="Comparison tasks (JSON)",
            description="Pairs of checklist values of the comparison interface.",
            suffixes=(".json",),
            run=_comparison,
            fields=(TASK_SET, OVERLAP),
            takes_folders=True,
        )
    )


def _comparison(request: ImportRequest) -> ImportReport:
    return import_comparisons(
        request.paths,
        request.study,
        task_set_key=str(request.options.get("task_set") or "comparison"),
        overlap=int(request.options.get("overlap") or OVERLAP.default),
        accept_partial=request.accept_partial,
        dry_run=request.dry_run,
        actor=request.actor,
        progress=request.progress,
    )
