"""Reading a bundle into an empty study: verified first, then wholly or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any, TypeVar

from django.db import DatabaseError, transaction

from annotation import audit
from annotation.errors import Conflict, InvalidInput, Refused
from annotation.importing.services import keep_report, rehearsed
from annotation.models import Study, User
from annotation.records.progress import Progress, no_progress
from annotation.records.report import FileReport, ImportReport
from evaluation.exporting import bundle
from evaluation.exporting.bundle import FILES, FORMAT, FileEntry, Manifest, Row
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.lines import BadLine, read_lines, verified_line
from evaluation.exporting.loading import comparisons, extractions, judges, texts, work
from evaluation.exporting.loading.common import Target
from evaluation.exporting.loading.settling import (
    Settled,
    is_empty,
    settle,
    store_meta_evaluations,
)
from evaluation.exporting.loading.writing import Spool
from evaluation.exporting.meter import Meter, size_of
from evaluation.exporting.reading import one_view
from evaluation.exporting.services import lines
from evaluation.exporting.verifying import read_manifest, verify
from evaluation.models import JudgeRun

SHOWN = 10
R = TypeVar("R", bound=Row)

# The order in which each row finds what it refers to.
PREPARERS: tuple[tuple[type[Row], Callable[[Target, Iterator[Any]], None]], ...] = (
    (bundle.GuidelineRow, texts.prepare_guidelines),
    (bundle.CaseRow, texts.prepare_cases),
    (bundle.DocumentRow, texts.prepare_documents),
    (bundle.SummaryRow, texts.prepare_summaries),
    (bundle.ChecklistRow, texts.prepare_checklists),
    (bundle.ExtractionRunRow, extractions.prepare_runs),
    (bundle.RunStepRow, extractions.prepare_steps),
    (bundle.ChecklistComparisonRow, comparisons.prepare_comparisons),
    (bundle.ItemVerdictRow, comparisons.prepare_item_verdicts),
    (bundle.TaskSetRow, work.prepare_task_sets),
    (bundle.TaskRow, work.prepare_tasks),
    (bundle.AssignmentRow, work.prepare_assignments),
    (bundle.AnswerRow, work.prepare_answers),
    (bundle.EventRow, work.prepare_events),
    (bundle.VisitRow, work.prepare_visits),
    (bundle.JudgeRunRow, judges.prepare_runs),
    (bundle.JudgeTaskRow, judges.prepare_questions),
    (bundle.JudgeCallRow, judges.prepare_calls),
    (bundle.VerdictRow, judges.prepare_verdicts),
)
"""The rest is settled in the transaction: see :mod:`evaluation.exporting.loading.settling`."""


def import_bundle(
    folder: Path,
    slug: str,
    *,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """Read the bundle in ``folder`` into the study called ``slug``, which is made if there is none.

    The study takes over everything but its address; accounts that nobody can log in to are made
    for pseudonyms that are not known in it. A study that holds exactly this bundle is left as it
    is. Raises ``InvalidInput`` for a bundle that does not verify, ``Conflict`` for a study that
    holds something else, a template or a role that contradicts the bundle, ``Refused`` when the
    database cannot store it. Nothing is stored unless everything is, and nothing with ``dry_run``.

    ``progress`` hears of bytes: each is read twice, to verify and to prepare, and written once.
    What it raises (``Cancelled``) goes through, and nothing is stored. Everything is read and
    prepared before the transaction begins, for others who write must wait for its end.
    """
    size = size_of(folder)

    def part(number: int) -> Progress:
        return lambda done, _: progress((number - 1) * size + done, 3 * size)

    manifest = _verified(folder, part(1))
    source = _Source(folder, {entry.path: entry for entry in manifest.files})
    try:
        study = Study.objects.filter(slug=slug).first()
        if study is not None and not is_empty(study):
            report = _unchanged(study, source.entries, Meter(part(2), size))
            with rehearsed(dry_run):
                keep_report(study, report, source=str(folder), kind="bundle", actor=actor)
        else:
            with rehearsed(True):  # what contradicts the database is found before the long work
                expected = settle(slug, actor, source.rows)
            with closing(Spool()) as spool:
                target = _prepared(source, expected, spool, Meter(part(2), size))
                with rehearsed(dry_run), transaction.atomic():
                    settled = settle(slug, actor, source.rows)
                    ids = spool.write(
                        settled.known(),
                        lambda done, total: part(3)(size * done // max(total, 1), 0),
                    )
                    runs = {number: ids[JudgeRun][pk - 1] for number, pk in target.runs.items()}
                    store_meta_evaluations(settled, source.rows(bundle.MetaEvaluationRow), runs)
                    report = source.report()
                    _keep(settled, report, folder)
    except (DatabaseError, ValueError, OverflowError) as error:
        raise Refused(
            f"The database cannot store this bundle: {error}. Nothing was stored."
        ) from error
    except OSError as error:
        raise Refused(
            f"The bundle cannot be read, or what is prepared of it not be laid by in "
            f"{gettempdir()}: {error.strerror or error}. Nothing was stored."
        ) from error
    progress(3 * size, 3 * size)
    return report


def _keep(settled: Settled, report: ImportReport, folder: Path) -> None:
    study, actor = settled.study, settled.actor
    size = {file.path: file.created for file in report.files}
    audit.log("bundle.imported", actor=actor, study=study, target=study, detail=size)
    keep_report(study, report, source=str(folder), kind="bundle", actor=actor)


def _verified(folder: Path, progress: Progress) -> Manifest:
    problems = verify(folder, progress)
    faults: list[str] = []
    manifest = read_manifest(folder, lambda _, problem: faults.append(problem))
    if not problems and manifest is not None and manifest.format != FORMAT:
        raise InvalidInput(
            f"{folder} is an export of the format {manifest.format}, which cannot be imported. "
            "Export a bundle."
        )
    if problems or manifest is None:
        more = len(problems) - SHOWN
        listed = "\n".join(f"  {problem}" for problem in problems[:SHOWN])
        rest = f"\n  and {more:,} more; verify_export lists them" if more > 0 else ""
        raise InvalidInput(f"The bundle does not verify, so nothing was read:\n{listed}{rest}")
    return manifest


def _unchanged(study: Study, entries: dict[str, FileEntry], meter: Meter) -> ImportReport:
    """The report on a study that holds the bundle already; it may have more members."""
    report = ImportReport()
    with one_view():
        collector = Collector(study)
        for name in FILES:
            digest = hashlib.sha256()
            for line in lines(collector, name):
                digest.update(line)
                meter.add(len(line))
            if name != bundle.MemberRow.FILE and digest.hexdigest() != entries[name].sha256:
                raise Conflict(
                    f"{study.slug} is not empty, and its {name} is not that of the bundle. "
                    "Import into a study that does not exist yet."
                )
            report.files.append(FileReport(name, unchanged=entries[name].rows))
    return report


def _prepared(source: _Source, expected: Settled, spool: Spool, meter: Meter) -> Target:
    target = Target(spool)
    target.expect(expected.templates, expected.members, expected.judges)
    for kind, prepare in PREPARERS:
        prepare(target, source.rows(kind, meter))
        meter.say()
    return target


@dataclass(frozen=True)
class _Source:
    """A bundle that was verified."""

    folder: Path
    entries: dict[str, FileEntry]

    def rows(self, kind: type[R], meter: Meter | None = None) -> Iterator[R]:
        """The rows of a file. Raises ``Refused`` when it is another one by now."""
        digest = hashlib.sha256()
        for number, (_, raw) in enumerate(read_lines(self.folder / kind.FILE), 1):
            digest.update(raw)
            if meter is not None:
                meter.add(len(raw))
            try:
                yield verified_line(raw, kind)
            except BadLine as error:
                raise Refused(
                    f"{kind.FILE}: line {number}: {error}. Nothing was stored."
                ) from error
        if digest.hexdigest() != self.entries[kind.FILE].sha256:
            raise Refused(
                f"{kind.FILE} changed while it was read. Nothing was stored; verify it and try "
                "again."
            )

    def report(self) -> ImportReport:
        return ImportReport([FileReport(name, created=self.entries[name].rows) for name in FILES])
