"""Reading a bundle into an empty study: verified first, then wholly or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.db import DatabaseError, transaction

from annotation import audit
from annotation.errors import Conflict, InvalidInput, Refused
from annotation.importing.services import keep_report, rehearsed
from annotation.managing.services import create_study
from annotation.models import Checklist, Study, User
from annotation.records.report import FileReport, ImportReport
from evaluation.exporting import bundle
from evaluation.exporting.bundle import FILES, FORMAT, FileEntry, Manifest, Row
from evaluation.exporting.collecting.collector import Collector
from evaluation.exporting.lines import BadLine, read_lines, verified_line
from evaluation.exporting.loading import comparisons, extractions, judges, texts, work
from evaluation.exporting.loading.common import Target
from evaluation.exporting.meter import Meter, Progress, no_progress, size_of
from evaluation.exporting.reading import one_view
from evaluation.exporting.services import lines
from evaluation.exporting.verifying import read_manifest, verify

SHOWN = 10

# The order in which each row finds what it refers to.
STORERS: tuple[tuple[type[Row], Callable[[Target, Iterator[Any]], None]], ...] = (
    (bundle.TemplateRow, texts.store_templates),
    (bundle.StudyRow, texts.store_study),
    (bundle.GuidelineRow, texts.store_guidelines),
    (bundle.MemberRow, texts.store_members),
    (bundle.CaseRow, texts.store_cases),
    (bundle.DocumentRow, texts.store_documents),
    (bundle.SummaryRow, texts.store_summaries),
    (bundle.ChecklistRow, texts.store_checklists),
    (bundle.ExtractionRunRow, extractions.store_runs),
    (bundle.RunStepRow, extractions.store_steps),
    (bundle.ChecklistComparisonRow, comparisons.store_comparisons),
    (bundle.ItemVerdictRow, comparisons.store_item_verdicts),
    (bundle.TaskSetRow, work.store_task_sets),
    (bundle.TaskRow, work.store_tasks),
    (bundle.AssignmentRow, work.store_assignments),
    (bundle.AnswerRow, work.store_answers),
    (bundle.EventRow, work.store_events),
    (bundle.VisitRow, work.store_visits),
    (bundle.JudgeRow, judges.store_judges),
    (bundle.JudgeRunRow, judges.store_runs),
    (bundle.JudgeTaskRow, judges.store_questions),
    (bundle.JudgeCallRow, judges.store_calls),
    (bundle.VerdictRow, judges.store_verdicts),
    (bundle.MetaEvaluationRow, judges.store_meta_evaluations),
)


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

    ``progress`` hears of bytes: each is read twice, once to verify and once to store. What it
    raises (``Cancelled``) goes through, and nothing is stored. Everything is read and checked
    before the database is written to, so that others who write wait as little as can be.
    """
    size = size_of(folder)
    manifest = _verified(folder, lambda done, _: progress(done, 2 * size))
    entries = {entry.path: entry for entry in manifest.files}
    meter = Meter(lambda done, _: progress(size + done, 2 * size), size)
    try:
        with rehearsed(dry_run), transaction.atomic():
            study = Study.objects.select_for_update().filter(slug=slug).first()
            if study is not None and not _is_empty(study):
                report = _unchanged(study, entries)
            else:
                study = study or create_study(slug, actor=actor)
                report = _store(folder, entries, Target(study, actor), meter)
                audit.log(
                    "bundle.imported", actor=actor, study=study, target=study, detail=_size(report)
                )
            keep_report(study, report, source=str(folder), kind="bundle", actor=actor)
    except (DatabaseError, ValueError, OverflowError) as error:
        raise Refused(
            f"The database cannot store this bundle: {error}. Nothing was stored."
        ) from error
    progress(2 * size, 2 * size)
    return report


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


def _is_empty(study: Study) -> bool:
    return not (
        study.cases.exists()
        or study.task_sets.exists()
        or study.guidelines.exists()
        or study.judge_runs.exists()
        or study.meta_evaluations.exists()
        or Checklist.objects.filter(case__study=study).exists()
    )


def _unchanged(study: Study, entries: dict[str, FileEntry]) -> ImportReport:
    """The report on a study that holds the bundle already; it may have more members."""
    report = ImportReport()
    with one_view():
        collector = Collector(study)
        for name in FILES:
            digest = hashlib.sha256()
            for line in lines(collector, name):
                digest.update(line)
            if name != bundle.MemberRow.FILE and digest.hexdigest() != entries[name].sha256:
                raise Conflict(
                    f"{study.slug} is not empty, and its {name} is not that of the bundle. "
                    "Import into a study that does not exist yet."
                )
            report.files.append(FileReport(name, unchanged=entries[name].rows))
    return report


def _store(
    folder: Path, entries: dict[str, FileEntry], target: Target, meter: Meter
) -> ImportReport:
    for kind, store in STORERS:
        store(target, _rows(folder, kind, entries[kind.FILE], meter))
        meter.say()
    return ImportReport([FileReport(name, created=entries[name].rows) for name in FILES])


def _rows(folder: Path, kind: type[Row], entry: FileEntry, meter: Meter) -> Iterator[Row]:
    """The rows of a file that was verified; refused when it is another one by now."""
    digest = hashlib.sha256()
    for number, (_, raw) in enumerate(read_lines(folder / kind.FILE), 1):
        digest.update(raw)
        meter.add(len(raw))
        try:
            yield verified_line(raw, kind)
        except BadLine as error:
            raise Refused(f"{kind.FILE}: line {number}: {error}. Nothing was stored.") from error
    if digest.hexdigest() != entry.sha256:
        raise Refused(
            f"{kind.FILE} changed while it was read. Nothing was stored; verify it and try again."
        )


def _size(report: ImportReport) -> dict[str, int]:
    return {file.path: file.created for file in report.files}
