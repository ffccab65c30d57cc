"""Taking a study out: as a lossless bundle, as a table, or in the original tool's shape."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.db.models import Count, Q

from annotation import audit
from annotation.errors import InvalidInput, Refused
from annotation.models import Assignment, Study, TaskSet, User
from annotation.records.progress import Progress, no_progress
from annotation.version import CODE_VERSION
from evaluation.exporting.bundle import (
    AGREEMENT,
    FILES,
    OFFSETS,
    FileEntry,
    Row,
    Tally,
    bundle_manifest,
)
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.collecting.counting import rows_to_come
from evaluation.exporting.label_studio import LabelStudioProjects
from evaluation.exporting.reading import one_view
from evaluation.exporting.release_files import ReleaseFiles
from evaluation.exporting.rows import DRAFTS, INCLUDE, SUPERSEDED
from evaluation.exporting.tables import AnswerTable, Selection
from evaluation.exporting.thresh_files import ThreshFiles
from evaluation.exporting.writers import (
    canonical_line,
    new_folder,
    write_lines,
    write_manifest,
    write_zip,
)

BUNDLE, ANSWERS, CSV, LABEL_STUDIO = "bundle", "answers", "csv", "label-studio"
THRESH, RELEASE = "thresh", "release"
FORMATS = (BUNDLE, ANSWERS, CSV, LABEL_STUDIO, THRESH, RELEASE)
TABLE_VERSION = 1
HEARD_EVERY = 20


@dataclass(frozen=True)
class Wanted:
    """What to export: the format, one task set (None: all), and what to include beside the
    submitted answers (names of ``rows.INCLUDE``). A bundle always holds everything.
    """

    format: str
    task_set: TaskSet | None = None
    include: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Written:
    """An export as it was written. ``sha256`` is the manifest's and stands for the whole."""

    format: str
    files: list[FileEntry]
    sha256: str
    manifest: dict[str, Any]

    @property
    def rows(self) -> int:
        return sum(entry.rows for entry in self.files)

    def to_json(self) -> dict[str, Any]:
        """``format, files (path, rows, sha256), rows, sha256, counts``."""
        return {
            "format": self.format,
            "files": [entry.to_json() for entry in self.files],
            "rows": self.rows,
            "sha256": self.sha256,
            "counts": self.manifest["counts"],
        }


def export_study(
    study: Study,
    wanted: Wanted,
    out: Path,
    *,
    force: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> Written:
    """Write ``study`` to the folder ``out``, whole or not at all.

    ``out`` must be missing or empty; ``force`` replaces an earlier export; ``progress`` hears of
    the rows of a bundle, and what it raises (``Cancelled``) leaves no folder. Raises
    ``InvalidInput`` for options that do not fit, ``Refused`` when a quote is not what its text
    says (naming the row), for work by somebody without a pseudonym, and when the disk cannot be
    written.
    """
    wanted = _checked(study, wanted)
    with new_folder(out, force=force) as folder:
        written = _write(study, wanted, folder, progress)
    audit.log(
        "study.exported",
        actor=actor,
        study=study,
        target=wanted.task_set or study,
        detail={"format": wanted.format, "rows": written.rows, "sha256": written.sha256},
    )
    return written


def export_zip(study: Study, wanted: Wanted, *, actor: User | None = None) -> IO[bytes]:
    """The same as an open ZIP file, at its beginning; it is gone when it is closed.

    Raises as :func:`export_study`.
    """
    name = archive_name(study, wanted)
    archive = tempfile.TemporaryFile()  # noqa: SIM115  the caller closes it
    try:
        with tempfile.TemporaryDirectory(prefix="gavel-export-") as place:
            folder = Path(place) / name
            export_study(study, wanted, folder, actor=actor)
            write_zip(folder, archive, top=name)
    except BaseException:
        archive.close()
        raise
    archive.seek(0)
    return archive


def archive_name(study: Study, wanted: Wanted) -> str:
    """What a downloaded export is called, without its suffix."""
    parts = [study.slug, wanted.task_set.key if wanted.task_set else "", wanted.format]
    return "-".join(part for part in parts if part)


def _checked(study: Study, wanted: Wanted) -> Wanted:
    unknown = sorted(wanted.include - set(INCLUDE))
    if unknown:
        raise InvalidInput(f"Nothing is called {unknown[0]}. Choose of: {', '.join(INCLUDE)}.")
    if wanted.format == BUNDLE:
        if wanted.task_set or wanted.include:
            raise InvalidInput(
                "A bundle always holds the whole study. Leave out task set and include, or choose "
                "another format."
            )
        return wanted
    if wanted.format == CSV:
        return wanted
    if wanted.format not in FORMATS:
        raise InvalidInput(f"There is no format {wanted.format}. Known: {', '.join(FORMATS)}.")
    if wanted.format == RELEASE:
        if wanted.task_set or wanted.include:
            raise InvalidInput(
                "A release holds the texts, checklists and verdicts of the whole study and no "
                "answers. Leave out task set and include, or choose another format."
            )
        return wanted
    if wanted.format == THRESH:
        if wanted.include & {DRAFTS, SUPERSEDED}:
            raise InvalidInput(
                "The paragraph tool has one answer a paragraph: no place for drafts and earlier "
                "versions. Take csv or bundle for them."
            )
        task_set = _one_set(study, wanted.task_set, (TaskSet.Kind.EXTRACTION,))
        return Wanted(THRESH, task_set, wanted.include)
    if wanted.format == LABEL_STUDIO:
        if DRAFTS in wanted.include:
            raise InvalidInput(
                "Label Studio has no place for drafts of ours. Take csv or bundle for them."
            )
        return wanted
    if DRAFTS in wanted.include:
        raise InvalidInput(
            "The original tool's files have no place for drafts. Take csv or bundle for them."
        )
    kinds = (TaskSet.Kind.COMPARISON, TaskSet.Kind.STYLE)
    return Wanted(ANSWERS, _one_set(study, wanted.task_set, kinds), wanted.include)


def _one_set(study: Study, task_set: TaskSet | None, kinds: tuple[TaskSet.Kind, ...]) -> TaskSet:
    """The one set that an original tool's shape is written of: the one named, or the only one of
    the first of ``kinds`` that the study has.
    """
    words = " and ".join(kind.label.lower() for kind in kinds)
    if task_set is not None:
        if task_set.kind not in kinds:
            raise InvalidInput(
                f"{task_set.key} holds tasks of the kind {task_set.get_kind_display()}; this "
                f"format is of {words} alone. Take csv or bundle."
            )
        return task_set
    for kind in kinds:
        sets = list(study.task_sets.filter(kind=kind).order_by("key"))
        if len(sets) > 1:
            keys = ", ".join(found.key for found in sets)
            raise InvalidInput(
                f"The original tool has one set at a time, and {study.slug} has {keys}. Name one "
                "(--task-set)."
            )
        if sets:
            return sets[0]
    raise Refused(f"{study.slug} has no tasks of {words} to write in that shape.")


def _write(study: Study, wanted: Wanted, folder: Path, progress: Progress) -> Written:
    with one_view():
        study = Study.objects.select_related("template").get(pk=study.pk)
        collector = Collector(study)
        if wanted.format == BUNDLE:
            tally, files = Tally(), []
            total = rows_to_come(study)
            for name in FILES:
                written = _heard(lines(collector, name, tally), tally, total, progress)
                files.append(write_lines(folder, name, written))
            progress(total, total)
            manifest = bundle_manifest(tally, files)
        else:
            files, manifest = _write_table(study, wanted, folder, collector)
    sha256 = write_manifest(folder, manifest)
    return Written(wanted.format, files, sha256, manifest)


def _heard(lines: Iterator[bytes], tally: Tally, total: int, progress: Progress) -> Iterator[bytes]:
    """``lines``, and ``progress`` hears of the rows before the first and after each twentieth."""
    for number, line in enumerate(lines):
        if number % HEARD_EVERY == 0:
            progress(min(tally.rows.total(), total), total)
        yield line


def lines(collector: Collector, name: str, tally: Tally | None = None) -> Iterator[bytes]:
    """The lines of one file of a bundle, made one at a time."""
    for row in collector.rows(name):
        if tally is not None:
            tally.add(row)
        yield line_of(row)


def line_of(row: Row) -> bytes:
    """A row as it stands in its file. Raises ``Refused`` for what JSON cannot hold."""
    try:
        return canonical_line(row.to_json())
    except (ValueError, RecursionError) as error:
        raise Refused(
            f"{row.FILE}: {row.label()}: it cannot be written as JSON: {error}."
        ) from error


def _write_table(
    study: Study, wanted: Wanted, folder: Path, collector: Collector
) -> tuple[list[FileEntry], dict[str, Any]]:
    selection = Selection(wanted.include)
    more: dict[str, Any] = {}
    if wanted.format == LABEL_STUDIO:
        projects = LabelStudioProjects(study, collector, wanted.task_set)
        files = projects.write(folder, selection)
        more["tasks_left_out"] = projects.tasks_left_out
    elif wanted.format == THRESH and wanted.task_set is not None:
        files = ThreshFiles(study, collector, wanted.task_set).write(folder, selection)
    elif wanted.format == RELEASE:
        release = ReleaseFiles(study, collector)
        files = release.write(folder)
        more["checklists_left_out"] = dict(sorted(release.left_out.items()))
    else:
        table = AnswerTable(study, collector, wanted.task_set)
        write = table.write_csv if wanted.format == CSV else table.write_original
        files = write(folder, selection)
    sets = study.task_sets.order_by("key").values_list("key", flat=True)
    return files, {
        "format": f"gavel-{wanted.format}",
        "version": TABLE_VERSION,
        "offsets": OFFSETS,
        "agreement": AGREEMENT,
        "files": [entry.to_json() for entry in files],
        "study": study.name,
        "is_synthetic": study.is_synthetic,
        "task_sets": [wanted.task_set.key] if wanted.task_set else sorted(sets),
        **selection.to_json(),
        **more,
        "seeds": {"study": study.seed},
        "versions": {"gavel": CODE_VERSION, "templates": [str(study.template)]},
    }


def contents(study: Study) -> list[dict[str, Any]]:
    """What there is to export: a row a task set with ``task_set`` and the numbers of ``submitted``,
    ``skipped`` and ``flagged`` answers that count, and of ``drafts`` in progress.
    """
    assignments = Assignment.objects.filter(task__task_set__study=study)
    rows = assignments.values("task__task_set").annotate(
        submitted=Count("pk", filter=Q(current__outcome="submitted")),
        skipped=Count("pk", filter=Q(current__outcome="skipped")),
        flagged=Count("pk", filter=Q(current__flagged=True)),
        drafts=Count("pk", filter=Q(status=Assignment.Status.IN_PROGRESS)),
    )
    names = ("submitted", "skipped", "flagged", "drafts")
    counts = {row[0]: row[1:] for row in rows.order_by().values_list("task__task_set", *names)}
    return [
        {"task_set": task_set, **dict(zip(names, counts.get(task_set.pk, (0,) * 4), strict=True))}
        for task_set in study.task_sets.order_by("key")
    ]
