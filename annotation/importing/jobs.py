"""Uploads on their way into a study: taken, looked through, imported, cancelled, cleared away.

A job goes from ``waiting`` over ``checking`` to ``checked``, and when somebody says so over
``queued`` and ``importing`` to ``done``. Small ones do each leg inside the request that asks for
it; for large ones the background worker does. Every leg is claimed by a conditional update, so
that two clicks, tabs or workers make one import. Who works on a leg shows that it lives
(``annotation.importing.progress``): a leg whose process is gone can be started again, and brings
the same, for each file is stored wholly or not at all and storing it again changes nothing.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation import audit
from annotation.errors import Conflict, DomainError, InvalidInput, NotFound
from annotation.importing import uploads
from annotation.importing.cancelling import Cancelled
from annotation.importing.formats import (
    HEAD,
    ImportFormat,
    ImportRequest,
    format_called,
    recognise,
)
from annotation.importing.naming import Naming, named
from annotation.importing.progress import (
    Seen,
    Watch,
    ask_to_stop,
    begin_waiting,
    forget,
    look,
    who_stopped,
)
from annotation.importing.services import nothing_stored
from annotation.models import ImportJob, Study, User
from annotation.records.archives import first_of, only_folder, unpack
from annotation.records.cases.zip_files import BadZip
from annotation.records.quoting import printable
from annotation.records.report import FileReport, FileStatus, ImportReport
from annotation.text.normalise import storable_text

Status = ImportJob.Status

KEEP_DAYS = 7
# A worker looks for work every second or so.
SILENT_SECONDS = 10.0
_LONGEST_NAME = 255
_ZIP = ".zip"
_NAMES_IN_SOURCE = 3

NOTHING_STORED = "Nothing could be imported: no file could be read and accepted as a whole."
GONE = "The files of this upload are no longer here. Upload them again."
UNEXPECTED = (
    "Something failed that should not have. What was stored of earlier files stays, nothing of the "
    "file that failed. The log of the site has the details; tell whoever runs it."
)
LEFT_ALONE = f"Nobody went on with this upload for {KEEP_DAYS} days, so its files were deleted."

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class JobState:
    """Where a job stands, for a page.

    ``seen`` is what its process tells. ``is_moving``: it goes on by itself. ``is_silent``: it has
    been waiting for a worker longer than a living one takes. ``is_stale``: its process is gone.
    ``needs_format``: a person must first say what it is, or mend the settings.
    """

    seen: Seen
    is_moving: bool
    is_silent: bool
    is_stale: bool
    needs_format: bool


def state_of(job: ImportJob) -> JobState:
    """How ``job`` is getting on now."""
    seen = look(uploads.folder_of(job))
    running = job.status in (Status.CHECKING, Status.IMPORTING)
    needs_format = job.status == Status.WAITING and bool(not job.format or job.error)
    waits = job.status == Status.QUEUED or (job.status == Status.WAITING and not needs_format)
    # A moment passes between the claim of a leg and its first beat.
    fresh = _seconds_since(job.started_at) < SILENT_SECONDS
    stale = running and seen.is_stale and not (seen.beat is None and fresh)
    silent = waits and (seen.waiting is None or seen.waiting > SILENT_SECONDS)
    return JobState(seen, running or waits, silent, stale, needs_format)


def _seconds_since(moment: dt.datetime | None) -> float:
    return (timezone.now() - moment).total_seconds() if moment else float("inf")


def job_by_id(study: Study, pk: int) -> ImportJob:
    """Raises ``NotFound`` for a job of another study."""
    job = (
        ImportJob.objects.filter(study=study, pk=pk)
        .select_related("study__template", "actor", "report")
        .first()
    )
    if job is None:
        raise NotFound(f"{study.slug} has no such upload.")
    return job


def unfinished_jobs(study: Study) -> QuerySet[ImportJob]:
    """The uploads of ``study`` that left no report (yet), newest first."""
    return study.import_jobs.filter(report=None).select_related("actor").order_by("-pk")


def take_upload(
    study: Study,
    files: Iterable[UploadedFile],
    format_key: str = "",
    options: Mapping[str, Any] | None = None,
    *,
    actor: User | None = None,
) -> ImportJob:
    """Keep an upload, and look it through (a large one: have it looked through).

    Without ``format_key`` the format is recognised from the first file; a job whose format is not
    certain waits for somebody to say. Raises ``InvalidInput`` for an unknown format, no file, only
    empty ones, or more than the settings allow, ``NotConfigured`` when nothing can be stored.
    """
    given = list(files)
    if format_key:
        format_called(format_key)
    _refuse_odd(given)
    clean_up()
    size = sum(file.size or 0 for file in given)
    names = [_shown_name(file) for file in given]
    folder = uploads.store(given)
    try:
        with transaction.atomic():
            job = ImportJob.objects.create(
                study=study,
                format=format_key,
                options=dict(options or {}),
                names=names,
                size=size,
                folder=folder,
                actor=actor,
            )
            detail = {"files": len(names), "bytes": size}
            audit.log("import.uploaded", actor=actor, study=study, target=job.pk, detail=detail)
    except BaseException:
        uploads.remove(folder)
        raise
    if not format_key:
        job.format = _recognised(job)
        job.save(update_fields=["format"])
    if job.format:
        _go_on(job)
    job.refresh_from_db()
    return job


def _refuse_odd(files: list[UploadedFile]) -> None:
    if not files:
        raise InvalidInput("Choose at least one file.")
    if len(files) > settings.UPLOAD_MAX_FILES:
        raise InvalidInput(uploads.too_many())
    size = sum(file.size or 0 for file in files)
    if size > settings.UPLOAD_MAX_MB * uploads.MB:
        raise InvalidInput(uploads.too_large())
    if not size:
        raise InvalidInput(
            "There is nothing in it: 0 bytes. Get the file again from where it comes from."
        )


def _shown_name(file: UploadedFile) -> str:
    name = storable_text(printable(Path(file.name or "").name))[:_LONGEST_NAME]
    return name or "without a name"


def _recognised(job: ImportJob) -> str:
    path = uploads.stored_files(job)[0]
    if path.suffix.lower() != _ZIP:
        with path.open("rb") as file:
            return recognise(job.names[0], file.read(HEAD))
    try:
        name, beginning, folders = first_of(path, HEAD)
    except BadZip:
        return ""
    return recognise(name, beginning, folders=folders)


def is_small(job: ImportJob) -> bool:
    """Whether ``job`` is done while its person waits."""
    return job.size <= settings.UPLOAD_INLINE_MB * uploads.MB


def look_through(
    job: ImportJob,
    format_key: str,
    options: Mapping[str, Any] | None = None,
    *,
    actor: User | None = None,
) -> ImportJob:
    """Read ``job`` as ``format_key`` with ``options``, without storing anything.

    Also again, and when the process that did it is gone. Raises ``InvalidInput`` for an unknown
    format, ``Conflict`` when the import has begun.
    """
    format_called(format_key)
    with transaction.atomic():
        job = _locked(job)
        state = state_of(job)
        if job.status == Status.CHECKING and not state.is_stale:
            raise Conflict("This upload is being looked through already.")
        if job.status not in (Status.WAITING, Status.CHECKING, Status.CHECKED):
            raise Conflict(_too_late(job))
        job.status, job.error, job.preview = Status.WAITING, "", None
        job.format, job.options = format_key, dict(options or {})
        job.save(update_fields=["status", "error", "preview", "format", "options"])
        audit.log("import.looked_through", actor=actor, study=job.study, target=job.pk)
    _go_on(job)
    job.refresh_from_db()
    return job


def start(job: ImportJob, *, accept_partial: bool = False, actor: User | None = None) -> ImportJob:
    """Import what was looked through; with ``accept_partial`` also what is sound of bad files.

    Also again, when the worker that did it is gone or none has taken it up. Raises ``Conflict``
    when it is under way, has ended, or was not looked through.
    """
    with transaction.atomic():
        job = _locked(job)
        state = state_of(job)
        again = state.is_stale and job.status == Status.IMPORTING
        again = again or (state.is_silent and job.status == Status.QUEUED)
        if job.status != Status.CHECKED and not again:
            raise Conflict(_too_late(job))
        job.status, job.error = Status.QUEUED, ""
        if not again:
            job.accept_partial = accept_partial
        job.save(update_fields=["status", "error", "accept_partial"])
        audit.log(
            "import.started",
            actor=actor,
            study=job.study,
            target=job.pk,
            detail={"format": job.format, "accept_partial": job.accept_partial},
        )
    _go_on(job)
    job.refresh_from_db()
    return job


def cancel(job: ImportJob, *, actor: User | None = None) -> ImportJob:
    """Give ``job`` up and delete its files; one that is being worked on stops within a moment.

    Raises ``Conflict`` when it has ended.
    """
    job.refresh_from_db()
    running = job.status in (Status.CHECKING, Status.IMPORTING)
    if running and not state_of(job).is_stale:
        # Without a transaction: what it stores at this moment may keep everybody from writing.
        ask_to_stop(uploads.folder_of(job), str(actor.pk) if actor else "")
        return job
    with transaction.atomic():
        job = _locked(job)
        if job.is_final:
            raise Conflict(_too_late(job))
        audit.log("import.cancelled", actor=actor, study=job.study, target=job.pk)
        job.error = "" if job.status != Status.IMPORTING else _stopped(job)
        job.status, job.finished_at = Status.CANCELLED, timezone.now()
        job.save(update_fields=["status", "error", "finished_at"])
        folder = job.folder
        transaction.on_commit(lambda: uploads.remove(folder))
    return job


def _locked(job: ImportJob) -> ImportJob:
    # The job alone: an import under way holds its study.
    rows = ImportJob.objects.select_for_update(of=("self",))
    return rows.select_related("study").get(pk=job.pk)


def _too_late(job: ImportJob) -> str:
    return {
        Status.WAITING: "This upload was not looked through yet.",
        Status.CHECKING: "This upload is being looked through; wait a moment.",
        Status.CHECKED: "This upload was looked through already.",
        Status.QUEUED: "This import was started already.",
        Status.IMPORTING: "This import was started already.",
        Status.DONE: "This was imported already; its report stands here.",
        Status.FAILED: "This import has failed. Upload the files again.",
        Status.CANCELLED: "This upload was cancelled. Upload the files again.",
    }[Status(job.status)]


def _go_on(job: ImportJob) -> None:
    """Do the next leg of ``job`` here if it is small, else leave it to the worker."""
    folder = uploads.folder_of(job)
    forget(folder)
    if is_small(job):
        run_job(job.pk)
        return
    from annotation.importing.background import work_on_job

    begin_waiting(folder)
    transaction.on_commit(lambda: work_on_job.enqueue(job.pk))


def run_job(job_id: int) -> None:
    """Do the leg that job ``job_id`` waits for; nothing happens when somebody else has it."""
    job = ImportJob.objects.filter(pk=job_id).select_related("study__template", "actor").first()
    if job is None:
        return
    if job.status == Status.WAITING and job.format:
        _work(job, Status.WAITING, Status.CHECKING, _check, back=Status.WAITING)
    elif job.status == Status.QUEUED:
        _work(job, Status.QUEUED, Status.IMPORTING, _import, back=Status.CHECKED)


Leg = Callable[[ImportJob, Watch], dict[str, Any]]


def _work(job: ImportJob, before: Status, during: Status, leg: Leg, *, back: Status) -> None:
    """Claim a leg, do it, and note how it ended, unless it was taken away meanwhile."""
    mine = timezone.now()
    claimed = ImportJob.objects.filter(pk=job.pk, status=before)
    if not claimed.update(status=during, started_at=mine, error=""):
        return
    folder = uploads.folder_of(job)
    try:
        with Watch(folder, uuid.uuid4().hex) as watch:
            end = leg(job, watch)
    except Cancelled:
        end = {"status": Status.CANCELLED, "error": _stopped(job) if leg is _import else ""}
    except DomainError as error:
        end = {"status": back, "error": error.message}
    except DatabaseError as error:
        logger.warning("Import job %s: %s", job.pk, error)
        said = (str(error).splitlines() or ["no reason given"])[0]
        end = {
            "status": back,
            "error": f"The database could not take it now ({said}). Nothing of the file at hand "
            "was stored. Try again in a moment.",
        }
    except Exception as error:
        if isinstance(error, OSError) and not (folder / "files").is_dir():
            end = {"status": Status.FAILED, "error": GONE}
        else:
            logger.exception("Import job %s failed", job.pk)
            end = {"status": Status.FAILED, "error": UNEXPECTED}
    final = end["status"] in ImportJob.FINAL
    if final:
        end["finished_at"] = timezone.now()
    still_mine = ImportJob.objects.filter(pk=job.pk, status=during, started_at=mine)
    with transaction.atomic():
        ended = still_mine.update(**end)
        if ended and end["status"] == Status.CANCELLED:
            by = who_stopped(folder)
            actor = User.objects.filter(pk=by).first() if by.isdecimal() else None
            audit.log("import.cancelled", actor=actor, study=job.study, target=job.pk)
    if ended:
        if final:
            uploads.remove(job.folder)
        else:
            shutil.rmtree(folder / "unpacked", ignore_errors=True)


def _stopped(job: ImportJob) -> str:
    seen = look(uploads.folder_of(job))
    at = f" at {seen.percent} %" if seen.total else ""
    return (
        f"Cancelled{at}. Nothing of the file at hand was stored; files that were stored before it "
        "stay. Importing them again changes nothing."
    )


def _check(job: ImportJob, watch: Watch) -> dict[str, Any]:
    """Look ``job`` through: by a dry run, or the format's own check where that would take long."""
    format_ = format_called(job.format)
    request, naming = _prepare(job, format_, watch)
    checks_alone = format_.check is not None and not is_small(job)
    run = format_.check if checks_alone and format_.check is not None else format_.run
    report = run(request) if request.paths else ImportReport()
    naming.rename(report)
    # A file that cannot be read at all has no sound part; one that was left out may have.
    readable = (FileStatus.READ, FileStatus.SKIPPED)
    mixed = any(file.problems and file.status in readable for file in report.files)
    partial = None
    if mixed and is_small(job):
        partial = format_.run(_like(request, accept_partial=True)).totals
    preview = report.to_json() | {
        "is_dry_run": not checks_alone,
        "offers_partial": mixed and (partial is None or _brings_more(partial, report)),
        "with_partial": partial,
    }
    return {"status": Status.CHECKED, "preview": preview}


def _brings_more(partial: dict[str, Any], report: ImportReport) -> bool:
    """Whether taking what is sound of bad files finds more than the sound files alone hold."""
    strict = report.totals
    return any(partial[counted] > strict[counted] for counted in ("created", "unchanged"))


def _import(job: ImportJob, watch: Watch) -> dict[str, Any]:
    format_ = format_called(job.format)
    request, naming = _prepare(job, format_, watch)
    if not request.paths:
        return {"status": Status.FAILED, "error": NOTHING_STORED}
    with named(naming):
        report = format_.run(_like(request, dry_run=False, accept_partial=job.accept_partial))
    kept = naming.kept[-1] if naming.kept else None
    failed = nothing_stored(report)
    return {
        "status": Status.FAILED if failed else Status.DONE,
        "error": NOTHING_STORED if failed else "",
        "report": kept,
    }


def _like(request: ImportRequest, **changed: Any) -> ImportRequest:
    return dataclasses.replace(request, **changed)


def _prepare(job: ImportJob, format_: ImportFormat, watch: Watch) -> tuple[ImportRequest, Naming]:
    """Unpack what is packed: a dry request for the files of ``job``, and what they are called."""
    folder = uploads.folder_of(job)
    shutil.rmtree(folder / "unpacked", ignore_errors=True)
    naming = Naming(root=str(folder), names={}, source=source_of(job))
    paths: list[Path] = []
    stored = uploads.stored_files(job)
    for path, name in zip(stored, job.names, strict=True):
        naming.names[str(path)] = name
        if not (format_.takes_folders and path.suffix.lower() == _ZIP):
            paths.append(path)
            continue
        into = folder / "unpacked" / path.parent.name / path.stem
        into.parent.mkdir(parents=True, mode=0o700)
        try:
            left_out = unpack(path, into, watch)
        except BadZip as error:
            report = FileReport(name, status=FileStatus.UNREADABLE)
            report.problem("", str(error))
            naming.left_out.append(report)
            continue
        prefix = f"{name}/" if len(stored) > 1 else ""
        for report in left_out:
            report.path = prefix + report.path
        naming.left_out += left_out
        naming.names |= {str(into): name, f"{into}/": prefix}
        paths.append(only_folder(into))
    request = ImportRequest(
        paths=tuple(paths),
        study=job.study,
        options=job.options,
        dry_run=True,
        actor=job.actor,
        progress=watch,
    )
    return request, naming


def source_of(job: ImportJob) -> str:
    """What was uploaded, in a line."""
    first = ", ".join(job.names[:_NAMES_IN_SOURCE])
    more = len(job.names) - _NAMES_IN_SOURCE
    return f"{first} and {more:,} more" if more > 0 else first


def clean_up(now: dt.datetime | None = None) -> None:
    """Give up jobs that nobody went on with for a week, and delete what is left of uploads."""
    now = now or timezone.now()
    before = now - dt.timedelta(days=KEEP_DAYS)
    untouched = Q(started_at__lt=before) | Q(started_at=None, created_at__lt=before)
    old = ImportJob.objects.exclude(status__in=ImportJob.FINAL).filter(untouched)
    for job in old:
        if not state_of(job).seen.is_stale:
            continue
        given_up = ImportJob.objects.filter(pk=job.pk, status=job.status)
        if given_up.update(status=Status.CANCELLED, error=LEFT_ALONE, finished_at=now):
            uploads.remove(job.folder)
    open_jobs = ImportJob.objects.exclude(status__in=ImportJob.FINAL)
    uploads.remove_leftovers(open_jobs.values_list("folder", flat=True), older_than=24 * 3600)
