"""Importing a public release: cases and summaries first, then what refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from annotation.importing.services import import_file, keep_report, rehearsed
from annotation.managing.services import template_of
from annotation.models import Study, User
from annotation.records.progress import Progress, no_progress
from annotation.records.report import FileReport, ImportReport
from evaluation.releasing.readers.discover import FoundFile, discover
from evaluation.releasing.readers.family import Reader, readers, reason_to_skip
from evaluation.releasing.storing.family import STORERS


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

    Each file is stored wholly or not at all; files of no known kind are reported as skipped.
    With ``dry_run`` everything is undone in the end, so that later files find what earlier ones
    would have brought. Raises ``InvalidInput`` for an unknown word in ``only``, ``UnreadableFile``
    when there is nothing at ``folder``.
    """
    files = discover(folder, only)
    family = readers(template_of(study).key_for, files)
    report = ImportReport()
    with rehearsed(dry_run):
        for done, file in enumerate(files):
            file_report = FileReport(file.name)
            report.files.append(file_report)
            if reason := reason_to_skip(file):
                file_report.skip(reason)
            else:
                still_here = partial(progress, done, len(files))
                store = _storing(study, file, family[file.kind], file_report, still_here)
                import_file(study, file_report, store, accept_partial=accept_partial)
            progress(done + 1, len(files))
    if not dry_run:
        keep_report(study, report, source=str(folder), kind="release", actor=actor)
    return report


def _storing(
    study: Study,
    file: FoundFile,
    reader: Reader,
    report: FileReport,
    still_here: Callable[[], None],
) -> Callable[[], None]:
    def records() -> Iterator[object]:
        for record in reader.read(file.path, report):
            yield record
            still_here()

    return lambda: STORERS[file.kind](study, records(), file, report)
