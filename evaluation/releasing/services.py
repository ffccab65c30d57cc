"""Importing a public release: cases and summaries first, then what refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from django.db import transaction

from annotation.importing.formats import Progress, no_progress
from annotation.importing.services import import_file, keep_report
from annotation.managing.services import template_of
from annotation.models import Study, User
from annotation.records.report import FileReport, ImportReport
from evaluation.releasing.readers.discover import FoundFile, discover
from evaluation.releasing.readers.family import Reader, readers, reason_to_skip
from evaluation.releasing.storing.family import STORERS, Storer


def import_release(
    folder: Path,
    study: Study,
    *,
    only: Iterable[str] | None = None,
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """Import a release folder or any part of it.

    Each file is stored wholly or not at all; files without a reader are reported as skipped.
    With ``dry_run`` everything is undone in the end, so that later files find what earlier ones
    would have brought. Raises ``InvalidInput`` for an unknown word in ``only``, ``UnreadableFile``
    when there is nothing at ``folder``.
    """
    files = discover(folder, only)
    family = readers(template_of(study).key_for)
    report = ImportReport()

    def import_all() -> None:
        for done, file in enumerate(files):
            file_report = FileReport(file.name)
            report.files.append(file_report)
            reader, storer = family.get(file.kind), STORERS.get(file.kind)
            if reader is None or storer is None or file.refusal:
                file_report.skip(reason_to_skip(file))
            else:
                store = _storing(study, file, reader, storer, file_report)
                import_file(study, file_report, store, accept_partial=accept_partial)
            progress(done + 1, len(files))

    if dry_run:
        with transaction.atomic():
            import_all()
            transaction.set_rollback(True)
    else:
        import_all()
        keep_report(study, report, source=str(folder), kind="release", actor=actor)
    return report


def _storing(
    study: Study, file: FoundFile, reader: Reader, storer: Storer, report: FileReport
) -> Callable[[], None]:
    return lambda: storer(study, reader.read(file.path, report), file, report)
