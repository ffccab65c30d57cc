"""Importing files into a study: each file wholly or not at all, and a report that stays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation import audit
from annotation.errors import Conflict, InvalidFile, InvalidInput
from annotation.importing.naming import current_naming
from annotation.managing.services import create_study
from annotation.models import ImportReport as StoredReport
from annotation.models import Study, User
from annotation.records.progress import Progress, no_progress
from annotation.records.report import FileReport, FileStatus, ImportReport
from annotation.text.normalise import storable_text

BATCH = 500
_MANIFEST = re.compile(rb'\{\s*"format"\s*:\s*"gavel-')
REFUSED = (
    "Nothing of this file was stored, because of the problems above. Mend it, or import what is "
    "sound with --accept-partial."
)


def study_for_import(slug: str, *, actor: User | None = None) -> tuple[Study, bool]:
    """The study called ``slug``, made with the default template if there is none.

    The second value says whether it was made now.
    """
    study = Study.objects.select_related("template").filter(slug=slug).first()
    if study is not None:
        return study, False
    try:
        return create_study(slug, actor=actor), True
    except Conflict:  # another import made it at this moment
        return Study.objects.select_related("template").get(slug=slug), False


@contextmanager
def rehearsed(dry_run: bool) -> Iterator[None]:
    """With ``dry_run``, everything stored inside is undone at the end.

    One undoing around all files, not one a file: later files refer to what earlier ones bring.
    """
    if not dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def import_each(
    files: list[Path],
    study: Study,
    store: Callable[[Path, FileReport], None],
    *,
    kind: str,
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """Run ``store`` for each of ``files`` as :func:`import_file` does, and keep one report.

    ``kind`` names the import in it. With ``dry_run`` nothing is kept.
    """
    report = ImportReport()
    with rehearsed(dry_run):
        for done, path in enumerate(files):
            file_report = FileReport(str(path))
            report.files.append(file_report)
            store_it = partial(store, path, file_report)
            import_file(study, file_report, store_it, accept_partial=accept_partial)
            progress(done + 1, len(files))
    if not dry_run:
        keep_report(study, report, source=", ".join(map(str, files)), kind=kind, actor=actor)
    return report


def import_file(
    study: Study, report: FileReport, store: Callable[[], None], *, accept_partial: bool
) -> None:
    """Run ``store`` for one file in one transaction; undo it when the file had problems.

    With ``accept_partial`` what is sound stays. ``store`` adds to the report what it made. Imports
    into one study take turns, so that the second finds what the first has stored.
    """
    try:
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
            store()
            if report.problems and not accept_partial:
                transaction.set_rollback(True)
    except InvalidFile as error:
        report.created = report.unchanged = 0
        report.found.clear()
        report.refuse(error)
        return
    if report.problems and not accept_partial:
        report.created = report.unchanged = 0
        report.found.clear()
        report.skip(REFUSED)


def keep_report(
    study: Study, report: ImportReport, *, source: str, kind: str, actor: User | None
) -> None:
    """Store the report and its audit row; files of an upload go by the names of the person."""
    naming = current_naming()
    if naming is not None:
        naming.rename(report)
        source = naming.source
    with transaction.atomic():
        kept = StoredReport.objects.create(
            study=study,
            source=storable_text(source)[:500],
            kind=kind,
            report=report.to_json(),
            actor=actor,
        )
        audit.log(
            "import.finished", actor=actor, study=study, target=kind, detail=dict(report.totals)
        )
    if naming is not None:
        naming.kept.append(kept)


def files_of(paths: Iterable[Path], suffix: str = ".json") -> list[Path]:
    """The files named, and those of the folders named that end in ``suffix``, in order.

    The manifest of one of our own exports is no file of its folder. Raises ``InvalidInput`` for a
    folder that holds none.
    """
    found: list[Path] = []
    for path in paths:
        if _is_folder(path):
            inside = sorted(
                p
                for p in path.rglob("*")
                if p.suffix.lower() == suffix and p.is_file() and not _is_manifest(p)
            )
            if not inside:
                raise InvalidInput(f"{path} holds no {suffix} file. Name the file or its folder.")
            found += inside
        else:
            found.append(path)
    return found


def _is_manifest(path: Path) -> bool:
    if path.name != "manifest.json":
        return False
    try:
        with path.open("rb") as file:
            return _MANIFEST.match(file.read(80)) is not None
    except OSError:
        return False


def _is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; a name that the system cannot look up is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def content_hash(content: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a task's content."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def nothing_stored(report: ImportReport) -> bool:
    """Whether the import failed as a whole: no file could be read and accepted."""
    return not any(file.status is FileStatus.READ for file in report.files)
