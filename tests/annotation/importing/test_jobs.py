"""Uploads as services: taken, looked through, imported once, cancelled, found again, cleared."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import stat
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotation.errors import Conflict, InvalidInput, NotConfigured, NotFound
from annotation.importing import formats, jobs, progress, uploads
from annotation.importing.cancelling import Cancelled
from annotation.importing.formats import ImportFormat, ImportRequest
from annotation.importing.services import import_file, keep_report, rehearsed
from annotation.models import AuditEntry, Case, ImportJob, ImportReport, Study, Task, User
from annotation.records.report import FileReport
from annotation.records.report import ImportReport as Report
from tests.annotation.importing.test_import_comparisons import TWO, payload
from tests.factories import make_member, make_study

Status = ImportJob.Status


def upload(name: str, content: bytes | str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def pairs(name: str = "pairs.json", **changes: Any) -> SimpleUploadedFile:
    return upload(name, json.dumps(payload(TWO, **changes)))


def half_bad() -> SimpleUploadedFile:
    """Two pairs, one of them of a case without a name."""
    keys = payload(TWO)["keys"]
    keys[1]["case_id"] = None
    return pairs("half.json", keys=keys)


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def large(settings: Any) -> None:
    """Every upload is for the worker."""
    settings.UPLOAD_INLINE_MB = 0


def folders(settings: Any) -> list[str]:
    return sorted(p.name for p in Path(settings.UPLOAD_DIR).iterdir())


def words_of(report: Any) -> str:
    return json.dumps(report, ensure_ascii=False)


def test_an_upload_is_looked_through_and_stores_nothing(
    study: Study, researcher: User, settings: Any
) -> None:
    job = jobs.take_upload(study, [pairs()], actor=researcher)
    assert (job.format, job.status) == ("comparison", Status.CHECKED)
    assert job.preview["totals"]["created"] == 2
    assert job.preview["files"][0]["path"] == "pairs.json"
    assert not Task.objects.exists()
    assert not ImportReport.objects.exists()
    mode = stat.S_IMODE(uploads.folder_of(job).stat().st_mode)
    assert mode == stat.S_IMODE(Path(settings.UPLOAD_DIR).stat().st_mode) == 0o700


def test_importing_keeps_a_report_with_the_persons_names_and_deletes_the_files(
    study: Study, researcher: User, settings: Any
) -> None:
    job = jobs.take_upload(study, [pairs("A \u202e<b>.json")], actor=researcher)
    job = jobs.start(job, actor=researcher)
    assert (job.status, job.error) == (Status.DONE, "")
    assert Task.objects.count() == 2
    assert job.report is not None
    assert job.report.actor == researcher
    assert job.report.source == "A \\u202e<b>.json"
    assert job.report.report["files"][0]["path"] == "A \\u202e<b>.json"
    assert str(settings.UPLOAD_DIR) not in words_of(job.report.report)
    assert folders(settings) == []
    assert job.finished_at is not None


def test_the_same_upload_again_is_all_unchanged(study: Study) -> None:
    jobs.start(jobs.take_upload(study, [pairs()]))
    again = jobs.take_upload(study, [pairs("other name.json")])
    assert (again.preview["totals"]["created"], again.preview["totals"]["unchanged"]) == (0, 2)
    assert jobs.start(again).report.report["totals"]["unchanged"] == 2
    assert Task.objects.count() == 2


def test_a_second_click_makes_no_second_import(study: Study) -> None:
    job = jobs.take_upload(study, [pairs()])
    stale_copy = ImportJob.objects.get(pk=job.pk)
    jobs.start(job)
    with pytest.raises(Conflict, match="imported already"):
        jobs.start(stale_copy)
    jobs.run_job(job.pk)  # nor does a worker that comes late
    assert ImportReport.objects.count() == 1


def test_what_is_sound_can_be_taken_from_bad_files(study: Study) -> None:
    job = jobs.take_upload(study, [half_bad(), pairs(keys=payload(TWO)["keys"])])
    assert job.preview["totals"]["created"] == 2
    assert job.preview["offers_partial"] is True
    assert job.preview["with_partial"]["created"] + job.preview["with_partial"]["unchanged"] == 3
    job = jobs.start(job, accept_partial=True)
    assert job.status == Status.DONE
    first, second = job.report.report["files"]
    assert (first["created"], first["unchanged"]) == (1, 0)
    assert (second["created"], second["unchanged"]) == (1, 1)
    assert any("case_id" in problem for problem in first["problems"])


def test_a_file_that_cannot_be_read_offers_no_part_and_fails(study: Study) -> None:
    job = jobs.take_upload(study, [upload("cut.json", '{"keys": [')], "comparison")
    assert (job.status, job.preview["offers_partial"]) == (Status.CHECKED, False)
    assert job.preview["files"][0]["status"] == "truncated"
    job = jobs.start(job)
    assert (job.status, job.error) == (Status.FAILED, jobs.NOTHING_STORED)
    assert job.report.report["files"][0]["status"] == "truncated"


def test_a_zip_of_a_folder_is_unpacked_and_called_by_its_own_names(
    study: Study, settings: Any
) -> None:
    whole = json.dumps(payload(TWO)).encode()
    raw = packed({"set/pairs.json": whole, "set/../../evil.json": whole, "set/empty.json": b""})
    job = jobs.take_upload(study, [upload("set.zip", raw)])
    assert job.format == "comparison"
    status = {file["path"]: file["status"] for file in job.preview["files"]}
    assert status == {
        "set/pairs.json": "read",
        "set/empty.json": "empty",
        "set/../../evil.json": "unreadable",
    }
    job = jobs.start(job)
    assert (job.status, Task.objects.count()) == (Status.DONE, 2)
    assert len(job.report.report["files"]) == 3
    assert str(settings.UPLOAD_DIR) not in words_of(job.report.report)


def test_a_zip_that_is_none_is_a_problem_not_a_crash(study: Study) -> None:
    job = jobs.take_upload(study, [upload("a.zip", b"PK no")], "comparison")
    assert job.preview["files"][0]["path"] == "a.zip"
    assert "no ZIP" in job.preview["files"][0]["problems"][0]
    assert jobs.start(job).status == Status.FAILED


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ([], "at least one"),
        ([("a.json", b"")], "0 bytes"),
        ([("a.json", b"12"), ("b.json", b"3"), ("c.json", b"4")], "GAVEL_UPLOAD_MAX_FILES"),
        ([("a.json", b"1" * (1024 * 1024 + 1))], "GAVEL_UPLOAD_MAX_MB"),
    ],
)
def test_an_upload_over_a_limit_is_refused_with_the_setting(
    study: Study, settings: Any, files: list[tuple[str, bytes]], what: str
) -> None:
    settings.UPLOAD_MAX_FILES, settings.UPLOAD_MAX_MB = 2, 1
    with pytest.raises(InvalidInput, match=what):
        jobs.take_upload(study, [upload(*file) for file in files])
    assert not ImportJob.objects.exists()


def test_where_nothing_can_be_written_the_setting_is_named(
    study: Study, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    settings.UPLOAD_DIR = tmp_path / "file" / "uploads"
    with pytest.raises(NotConfigured, match="GAVEL_UPLOAD_DIR"):
        jobs.take_upload(study, [pairs()])


def test_a_format_that_is_not_certain_is_asked_for(study: Study) -> None:
    job = jobs.take_upload(study, [upload("a.json", '{"something": "else"}')])
    assert (job.status, job.format) == (Status.WAITING, "")
    assert jobs.state_of(job).needs_format
    with pytest.raises(Conflict, match="not looked through"):
        jobs.start(job)
    job = jobs.look_through(job, "comparison")
    assert job.status == Status.CHECKED
    assert job.preview["totals"]["problems"] == 1
    with pytest.raises(InvalidInput, match="no format"):
        jobs.look_through(job, "nonsense")


def test_settings_that_cannot_be_are_said_and_can_be_mended(study: Study) -> None:
    job = jobs.take_upload(study, [pairs()], "comparison", {"task_set": "no blanks please"})
    assert job.status == Status.WAITING
    assert "cannot name a task set" in job.error
    job = jobs.look_through(job, "comparison", {"task_set": "blanks", "overlap": 2})
    assert (job.status, job.error) == (Status.CHECKED, "")
    jobs.start(job)
    assert study.task_sets.get().overlap == 2


def test_cancelling_before_the_import_deletes_the_files(study: Study, settings: Any) -> None:
    job = jobs.take_upload(study, [pairs()])
    job = jobs.cancel(job)
    assert job.status == Status.CANCELLED
    assert folders(settings) in ([], [job.folder])  # deleted when the transaction commits
    with pytest.raises(Conflict, match="cancelled"):
        jobs.start(job)
    with pytest.raises(Conflict, match="cancelled"):
        jobs.cancel(job)


def test_a_job_of_another_study_is_not_found(study: Study) -> None:
    job = jobs.take_upload(study, [pairs()])
    with pytest.raises(NotFound):
        jobs.job_by_id(make_study("other"), job.pk)


Steps = Callable[[ImportRequest], None]


@pytest.fixture
def stepping(monkeypatch: pytest.MonkeyPatch) -> Callable[[Steps], None]:
    """A format that stores a case a file, and does what a test says after each."""
    monkeypatch.setattr(formats, "_FORMATS", dict(formats._FORMATS))
    monkeypatch.setattr(progress, "LOOK_SECONDS", 0.0)

    def add(after: Steps) -> None:
        def run(request: ImportRequest) -> Report:
            report = Report()
            with rehearsed(request.dry_run):
                for done, path in enumerate(request.paths):
                    file = FileReport(str(path))
                    report.files.append(file)

                    def store(file: FileReport = file, done: int = done) -> None:
                        Case.objects.create(study=request.study, external_id=str(done))
                        if not request.dry_run:
                            after(request)
                        request.progress(done, len(request.paths))
                        file.created += 1

                    import_file(request.study, file, store, accept_partial=False)
            if not request.dry_run:
                keep_report(request.study, report, source="x", kind="steps", actor=None)
            return report

        formats.register(ImportFormat("steps", "Steps", "", (".step",), run))

    return add


THREE = ["a.step", "b.step", "c.step"]


def three() -> list[SimpleUploadedFile]:
    return [upload(name, "x") for name in THREE]


def test_a_thousand_files_with_one_name_stay_apart(
    study: Study, stepping: Callable[[Steps], None]
) -> None:
    def run(request: ImportRequest) -> Report:
        return Report([FileReport(str(p), created=int(p.read_text())) for p in request.paths])

    formats.register(ImportFormat("steps", "Steps", "", (".step",), run))
    many = [upload("same.step", str(n)) for n in range(1000)]
    job = jobs.take_upload(study, many, "steps")
    assert [file["created"] for file in job.preview["files"]] == list(range(1000))
    assert {file["path"] for file in job.preview["files"]} == {"same.step"}


def test_cancelling_an_import_leaves_nothing_of_the_file_at_hand(
    study: Study, stepping: Callable[[Steps], None], settings: Any
) -> None:
    def cancel_at_the_second(request: ImportRequest) -> None:
        if Case.objects.count() == 2:
            jobs.cancel(ImportJob.objects.get())

    stepping(cancel_at_the_second)
    job = jobs.start(jobs.take_upload(study, three(), "steps"))
    assert job.status == Status.CANCELLED
    assert "Nothing of the file at hand" in job.error
    assert [case.external_id for case in Case.objects.all()] == ["0"]
    assert folders(settings) == []
    assert AuditEntry.objects.filter(action="import.cancelled").count() == 1


def test_a_job_taken_away_by_another_process_stops_and_says_nothing(
    study: Study, stepping: Callable[[Steps], None]
) -> None:
    """A worker that was held still while another took over finds out at its next look."""

    def run(request: ImportRequest) -> Report:
        if not request.dry_run:
            job = ImportJob.objects.get()
            (uploads.folder_of(job) / "alive").write_text("another")
            ImportJob.objects.update(started_at=timezone.now() + dt.timedelta(seconds=1))
        request.progress(0, 1)
        Case.objects.create(study=request.study, external_id="late")
        raise InvalidInput("too late")

    stepping(lambda request: None)
    formats.register(ImportFormat("steps", "Steps", "", (".step",), run))
    job = jobs.take_upload(study, three(), "steps")
    ImportJob.objects.update(status=Status.CHECKED, error="")
    Case.objects.all().delete()
    job = jobs.start(job)
    assert (job.status, job.error) == (Status.IMPORTING, "")
    assert not Case.objects.exists()
    assert uploads.folder_of(job).is_dir()


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (OperationalError("database is locked"), Status.CHECKED, "database is locked"),
        (InvalidInput("Not like this."), Status.CHECKED, "Not like this."),
        (ValueError("a fault of ours"), Status.FAILED, jobs.UNEXPECTED),
    ],
)
def test_what_fails_in_an_import_is_said_and_what_can_be_tried_again_is(
    study: Study, stepping: Callable[[Steps], None], error: Exception, status: str, said: str
) -> None:
    def fail(request: ImportRequest) -> None:
        raise error

    stepping(fail)
    job = jobs.start(jobs.take_upload(study, three(), "steps"))
    assert job.status == status
    assert said in job.error
    assert not Case.objects.exists()
    stepping(lambda request: None)
    if status == Status.CHECKED:
        assert jobs.start(job).status == Status.DONE


def test_files_that_are_gone_are_said_to_be(study: Study) -> None:
    job = jobs.take_upload(study, [pairs()])
    uploads.remove(job.folder)
    job = jobs.start(job)
    assert (job.status, job.error) == (Status.FAILED, jobs.GONE)


def test_a_large_upload_waits_for_the_worker(
    study: Study, large: None, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.take_upload(study, [pairs()], "comparison")
    assert job.status == Status.WAITING
    state = jobs.state_of(job)
    assert (state.is_moving, state.needs_format, state.is_silent) == (True, False, False)
    assert DBTaskResult.objects.get().args_kwargs["args"] == [job.pk]
    jobs.run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Status.CHECKED
    with django_capture_on_commit_callbacks(execute=True):
        job = jobs.start(job)
    assert job.status == Status.QUEUED
    with pytest.raises(Conflict, match="started already"):
        jobs.start(job)
    jobs.run_job(job.pk)
    jobs.run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, Task.objects.count()) == (Status.DONE, 2)
    assert ImportReport.objects.count() == 1


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_silent_worker_is_noticed_and_can_be_asked_again(
    study: Study, large: None, django_capture_on_commit_callbacks: Any
) -> None:
    job = jobs.take_upload(study, [pairs()], "comparison")
    jobs.run_job(job.pk)
    job.refresh_from_db()
    job = jobs.start(job)
    assert not jobs.state_of(job).is_silent
    age(uploads.folder_of(job) / "queued", 11)
    assert jobs.state_of(job).is_silent
    with django_capture_on_commit_callbacks(execute=True):
        jobs.start(job)
    assert not jobs.state_of(job).is_silent
    assert DBTaskResult.objects.count() == 1


def test_a_job_whose_worker_is_gone_is_started_again(study: Study, large: None) -> None:
    """As SIGKILL leaves it: under way in the database, no beat, what was stored still there."""
    job = jobs.take_upload(study, [pairs()], "comparison")
    jobs.run_job(job.pk)
    long_ago = timezone.now() - dt.timedelta(minutes=1)
    ImportJob.objects.update(status=Status.IMPORTING, started_at=long_ago)
    job.refresh_from_db()
    folder = uploads.folder_of(job)
    (folder / "alive").write_text("a worker")
    assert not jobs.state_of(job).is_stale
    with pytest.raises(Conflict):
        jobs.start(job)
    age(folder / "alive", 21)
    assert jobs.state_of(job).is_stale
    job = jobs.start(job)
    jobs.run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, Task.objects.count()) == (Status.DONE, 2)


def test_a_stale_job_is_cancelled_at_once_a_living_one_is_asked(study: Study, large: None) -> None:
    job = jobs.take_upload(study, [pairs()], "comparison")
    ImportJob.objects.update(status=Status.CHECKING, started_at=timezone.now())
    folder = uploads.folder_of(job)
    (folder / "alive").write_text("a worker")
    assert jobs.cancel(job).status == Status.CHECKING
    assert jobs.state_of(job).seen.is_stopping
    with pytest.raises(Cancelled):
        progress.Watch(folder, "a worker")(1, 2)
    age(folder / "alive", 21)
    assert jobs.cancel(job).status == Status.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_cancelling_waits_for_nobody_who_writes() -> None:
    """The import itself may hold the database, for as long as its file takes."""
    study = make_study()
    rita = make_member(study, "researcher", "rita")
    job = jobs.take_upload(study, [pairs()])
    ImportJob.objects.update(status=Status.IMPORTING, started_at=timezone.now())
    folder = uploads.folder_of(job)
    (folder / "alive").write_text("a worker")
    writing, over = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
            Case.objects.create(study=study, external_id="1")
            writing.set()
            over.wait(60)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert writing.wait(60)
        assert jobs.cancel(job, actor=rita).status == Status.IMPORTING
        assert progress.who_stopped(folder) == str(rita.pk)
        assert writer.is_alive()
    finally:
        over.set()
        writer.join()


def test_a_check_takes_the_place_of_the_dry_run_of_a_large_upload(
    study: Study, large: None, stepping: Callable[[Steps], None]
) -> None:
    def check(request: ImportRequest) -> Report:
        return Report([FileReport(str(path)) for path in request.paths])

    def run(request: ImportRequest) -> Report:
        raise AssertionError("no dry run")

    stepping(lambda request: None)
    formats.register(ImportFormat("steps", "Steps", "", (".step",), run, check=check))
    job = jobs.take_upload(study, three(), "steps")
    jobs.run_job(job.pk)
    job.refresh_from_db()
    assert [file["path"] for file in job.preview["files"]] == THREE
    assert job.preview["is_dry_run"] is False


def test_progress_is_told_between_processes(tmp_path: Path) -> None:
    assert progress.look(tmp_path).is_stale
    with progress.Watch(tmp_path, "me") as watch:
        watch(3, 12)
        seen = progress.look(tmp_path)
    assert (seen.done, seen.total, seen.percent, seen.is_stale) == (3, 12, 25, False)
    (tmp_path / "progress.json").write_text("{")
    assert (progress.look(tmp_path).done, progress.look(tmp_path).percent) == (0, 0)


def test_what_nobody_went_on_with_is_cleared_after_a_week(study: Study, settings: Any) -> None:
    old, new = (jobs.take_upload(study, [pairs()]) for _ in range(2))
    then = timezone.now() - dt.timedelta(days=8)
    ImportJob.objects.filter(pk=old.pk).update(started_at=then, created_at=then)
    age(uploads.folder_of(old) / "alive", 8 * 24 * 3600)
    stray = Path(settings.UPLOAD_DIR) / ("0" * 32)
    stray.mkdir()
    part = Path(settings.UPLOAD_DIR) / "x.part"
    part.touch()
    fresh = Path(settings.UPLOAD_DIR) / "y.part"
    fresh.touch()
    other = Path(settings.UPLOAD_DIR) / "not ours"
    other.touch()
    for path in (stray, part, other):
        age(path, 2 * 24 * 3600)
    jobs.clean_up()
    old.refresh_from_db()
    assert (old.status, old.error) == (Status.CANCELLED, jobs.LEFT_ALONE)
    assert folders(settings) == sorted([new.folder, "y.part", "not ours"])
