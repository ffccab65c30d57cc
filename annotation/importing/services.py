"""Importing files into a study: each file wholly or not at all, and a report that stays."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Max
from pydantic import ValidationError

from annotation import audit
from annotation.errors import Conflict, InvalidFile, InvalidInput
from annotation.importing.formats import Progress, no_progress
from annotation.kinds.options import TaskSetOptions
from annotation.managing.services import create_study, template_of
from annotation.models import Case, Study, Task, TaskSet, User
from annotation.models import ImportReport as StoredReport
from annotation.records.comparison_file import ComparisonRecord, read_comparisons
from annotation.records.report import FileReport, FileStatus, ImportReport
from annotation.text.normalise import storable_text

BATCH = 500
LARGEST_OVERLAP = 100
_TASK_SET_KEY = re.compile(r"[A-Za-z0-9_-]{1,80}")
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
    """Store the report and its audit row."""
    with transaction.atomic():
        StoredReport.objects.create(
            study=study,
            source=storable_text(source)[:500],
            kind=kind,
            report=report.to_json(),
            actor=actor,
        )
        audit.log(
            "import.finished", actor=actor, study=study, target=kind, detail=dict(report.totals)
        )


def import_comparisons(
    paths: Iterable[Path],
    study: Study,
    *,
    task_set_key: str = "comparison",
    overlap: int = 3,
    options: Mapping[str, Any] | None = None,
    accept_partial: bool = False,
    dry_run: bool = False,
    actor: User | None = None,
    progress: Progress = no_progress,
) -> ImportReport:
    """Make comparison tasks from the comparison interface's files.

    ``paths`` are files or folders (all their .json files). Importing a file again changes nothing;
    a pair whose key is stored with other content is a problem, for tasks never change.
    Raises ``InvalidInput`` when a folder holds no .json file or the task set is of another kind.
    """
    template = template_of(study)

    if not _TASK_SET_KEY.fullmatch(task_set_key):
        raise InvalidInput(
            f"“{task_set_key[:40]}” cannot name a task set: use letters, digits, - and _ "
            "(at most 80)."
        )
    if not 1 <= overlap <= LARGEST_OVERLAP:
        raise InvalidInput(f"The overlap must be 1 to {LARGEST_OVERLAP} annotators a task.")
    chosen = read_options(options or {})
    files = json_files(paths)
    report = ImportReport()
    with rehearsed(dry_run):
        for done, path in enumerate(files):
            file_report = FileReport(str(path))
            report.files.append(file_report)

            def store(path: Path = path, file_report: FileReport = file_report) -> None:
                records = read_comparisons(path, template.key_for, file_report)
                if records:
                    task_set = _task_set(study, task_set_key, "comparison", overlap, chosen, path)
                    _store_comparisons(task_set, records, file_report)

            import_file(study, file_report, store, accept_partial=accept_partial)
            progress(done + 1, len(files))
    if not dry_run:
        source = ", ".join(map(str, files))
        keep_report(study, report, source=source, kind="comparison", actor=actor)
    return report


def json_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and the .json files of the folders named, in order of their names."""
    found: list[Path] = []
    for path in paths:
        if _is_folder(path):
            inside = sorted(p for p in path.rglob("*.json") if p.is_file())
            if not inside:
                raise InvalidInput(f"{path} holds no .json file. Name the file or its folder.")
            found += inside
        else:
            found.append(path)
    return found


def _is_folder(path: Path) -> bool:
    """Whether ``path`` is a folder; a name that the system cannot look up is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a task set, checked; those left out are at their default and not stored.

    Raises ``InvalidInput`` with the names that there are.
    """
    try:
        return TaskSetOptions.model_validate(options).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        first = error.errors()[0]
        known = ", ".join(TaskSetOptions.model_fields)
        name = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"Option {name}: {first['msg']}. The options are: {known}.") from error


def _task_set(
    study: Study, key: str, kind: str, overlap: int, options: dict[str, Any], path: Path
) -> TaskSet:
    task_set, _ = TaskSet.objects.get_or_create(
        study=study,
        key=key,
        defaults={
            "title": TaskSet.Kind(kind).label,
            "kind": kind,
            "overlap": overlap,
            "options": options,
            "source": {"file": storable_text(path.name)},
        },
    )
    if task_set.kind != kind:
        raise InvalidInput(
            f"{study.slug} has a task set called {key} of another kind ({task_set.kind}). "
            "Choose another key with --task-set."
        )
    if options and options != task_set.options:
        raise InvalidInput(
            f"{key} was made with other options, and answers may depend on them. "
            "Choose another key with --task-set, or leave the options out."
        )
    return TaskSet.objects.select_for_update().get(pk=task_set.pk)


def content_hash(content: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of a task's content."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _store_comparisons(
    task_set: TaskSet, records: list[ComparisonRecord], report: FileReport
) -> None:
    cases = _cases(task_set.study, {record.case_id for record in records}, report)
    stored = dict(task_set.tasks.values_list("key", "content_hash"))
    position = task_set.tasks.aggregate(last=Max("position"))["last"] or 0
    new: list[Task] = []
    for record in records:
        content = record.content.model_dump(mode="json")
        digest = content_hash(content)
        if record.key in stored:
            if stored[record.key] == digest:
                report.unchanged += 1
            else:
                report.problem(
                    f"keys[{record.position}]",
                    f"{record.key} is stored in {task_set.key} with other values, and tasks never "
                    "change. Import this file into another task set (--task-set).",
                )
            continue
        position += 1
        new.append(
            Task(
                task_set=task_set,
                key=record.key,
                position=position,
                case=cases[record.case_id],
                item_key=record.item_key,
                form=record.content.form,
                content=content,
                content_hash=digest,
                metadata={
                    "item_name": record.item_name,
                    "source_pair_idx": record.source_pair_idx,
                    "source_position": record.position,
                    **dict(record.metadata),
                },
            )
        )
    Task.objects.bulk_create(new, batch_size=BATCH)
    report.created += len(new)


def _cases(study: Study, ids: set[str], report: FileReport) -> dict[str, Case]:
    """The cases called ``ids``; those not known yet are made, known by their id alone."""
    known = set(study.cases.filter(external_id__in=ids).values_list("external_id", flat=True))
    if ids - known:
        report.found["new_cases_without_texts"] = len(ids - known)
    Case.objects.bulk_create(
        [Case(study=study, external_id=case_id) for case_id in sorted(ids - known)],
        batch_size=BATCH,
    )
    return {case.external_id: case for case in study.cases.filter(external_id__in=ids)}


def nothing_stored(report: ImportReport) -> bool:
    """Whether the import failed as a whole: no file could be read and accepted."""
    return not any(file.status is FileStatus.READ for file in report.files)
