"""The pages of an import, without a browser: forms, states, other people, hostile names."""

from __future__ import annotations

import datetime as dt
import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from annotation.importing import jobs, uploads
from annotation.models import ImportJob, ImportReport, Study, Task, User
from tests.annotation.importing.test_import_comparisons import TWO, payload
from tests.annotation.importing.test_jobs import half_bad, large, packed, pairs, upload
from tests.factories import make_member, make_study

__all__ = ["large"]

BASE = "/studies/study/"
NEW = f"{BASE}imports/new/"
Status = ImportJob.Status


@pytest.fixture
def own(as_user: Any, researcher: User) -> Client:
    return as_user(researcher)


def words(response: Any) -> str:
    """The text of a page without tags, blanks folded."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def send(own: Client, *files: SimpleUploadedFile, **data: Any) -> Any:
    return own.post(NEW, {"upload": list(files), **data}, follow=True)


def act(own: Client, job: ImportJob, what: str, **data: Any) -> Any:
    path = f"{BASE}uploads/{job.pk}/act/"
    return own.post(path, {"act": what, **data}, follow=True)


def test_the_study_offers_importing_to_those_who_may(
    own: Client, as_user: Any, annotator: User
) -> None:
    assert NEW in own.get(BASE).content.decode()
    assert NEW not in as_user(annotator).get(BASE).content.decode()


def test_upload_preview_import_report(own: Client, study: Study) -> None:
    response = send(own, pairs())
    job = ImportJob.objects.get()
    assert response.redirect_chain == [(f"{BASE}uploads/{job.pk}/", 302)]
    text = words(response)
    assert "Ready to import: no problem was found" in text
    assert "Would be created 2" in text
    assert not Task.objects.exists()
    text = words(act(own, job, "start"))
    assert "Imported" in text
    assert "Created 2" in text
    report = ImportReport.objects.get()
    assert f"{BASE}imports/{report.pk}/" in own.get(f"{BASE}uploads/{job.pk}/").content.decode()
    assert "Created 2" in words(own.get(f"{BASE}imports/{report.pk}/"))
    assert "pairs.json" in words(own.get(f"{BASE}imports/"))
    assert "everything in this file is in the study already" in words(send(own, pairs())).lower()


def test_a_second_press_of_import_says_that_it_was_started(own: Client, study: Study) -> None:
    send(own, pairs())
    job = ImportJob.objects.get()
    act(own, job, "start")
    assert "was imported already" in words(act(own, job, "start"))
    assert "was imported already" in words(act(own, job, "cancel"))
    assert ImportReport.objects.count() == 1


def test_problems_stand_in_sight_and_a_choice_is_offered(own: Client, study: Study) -> None:
    response = send(own, half_bad(), upload("cut.json", "{"), format="comparison")
    text = words(response)
    assert "Every file has problems" in text
    assert "half.json keys[1].case_id" in text
    assert "“Import what is sound” would create 1" in text
    assert 'value="start"' not in response.content.decode()
    job = ImportJob.objects.get()
    text = words(act(own, job, "start_partial"))
    assert "with problems" in text
    assert Task.objects.count() == 1


def test_a_file_without_a_sound_part_cannot_be_imported(own: Client, study: Study) -> None:
    response = send(own, upload("cut.json", "{"), format="comparison")
    page = response.content.decode()
    assert "Nothing of this can be imported" in words(response)
    assert 'value="start"' not in page
    assert 'value="start_partial"' not in page


def test_all_of_few_problems_stand_in_sight(own: Client, study: Study) -> None:
    table = (
        "case,item,model_values,reference_values\n1,Nonsense,a,b\n1,Filing Date,a,\n1,Trials,,b\n"
    )
    text = words(send(own, upload("bad.csv", table), format="csv-comparison"))
    top = text[: text.index("All problems as CSV")]
    assert "Problems" in top
    assert [f"line {line}," in top for line in (2, 3, 4)] == [True] * 3
    assert "The first of" not in top


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>.json", '"><img src=x onerror=alert(1)>.json', "a\u202enosj.json"],
    ids=["script", "attribute", "override"],
)
def test_a_hostile_name_is_text(own: Client, study: Study, name: str) -> None:
    send(own, pairs(name))
    job = ImportJob.objects.get()
    act(own, job, "start")
    report = ImportReport.objects.get()
    # Django itself keeps what follows the last slash.
    shown = name.rpartition("/")[2].replace("\u202e", "")
    assert job.names == [shown]
    paths = (f"uploads/{job.pk}/", "imports/", f"imports/{report.pk}/")
    for page in (own.get(BASE + path).content.decode() for path in paths):
        assert escape(shown) in page
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "\u202e" not in page


def test_reports_and_previews_can_be_taken_away(own: Client, study: Study) -> None:
    send(own, half_bad(), upload("=cmd.json", "{"), format="comparison")
    job = ImportJob.objects.get()
    preview = own.get(f"{BASE}uploads/{job.pk}/preview/csv/")
    assert preview["Content-Disposition"] == f'attachment; filename="study-preview-{job.pk}.csv"'
    rows = preview.content.decode().split("\r\n")
    assert rows[0] == "file,status,problem"
    assert rows[1].startswith("half.json,skipped,")
    assert rows[2].startswith("'=cmd.json,truncated,")
    act(own, job, "start_partial")
    report = ImportReport.objects.get()
    whole = own.get(f"{BASE}imports/{report.pk}/json/")
    assert whole["Content-Type"] == "application/json"
    assert json.loads(whole.content) == report.report
    assert own.get(f"{BASE}imports/{report.pk}/exe/").status_code == 404
    assert own.get(f"{BASE}uploads/{job.pk}/preview/exe/").status_code == 404


def test_a_form_without_a_file_says_what_is_missing(own: Client, study: Study) -> None:
    response = own.post(NEW, {"format": "comparison"})
    assert response.status_code == 422
    assert "This field is required" in words(response)
    response = own.post(NEW, {"upload": upload("a.json", "")})
    assert response.status_code == 422
    assert "0 bytes" in words(response)
    response = own.post(NEW, {"upload": pairs(), "format": "nonsense"})
    assert response.status_code == 422
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize("which", ["size", "count"])
def test_too_much_is_refused_in_words_and_leaves_nothing(
    own: Client, study: Study, settings: Any, which: str
) -> None:
    settings.UPLOAD_MAX_MB, settings.UPLOAD_MAX_FILES = 1, 3
    if which == "size":
        files = [upload(f"{n}.json", b"x" * 700_000) for n in range(2)]
    else:
        files = [upload(f"{n}.json", b"x") for n in range(4)]
    response = own.post(NEW, {"upload": files})
    assert response.status_code == 422
    assert f"GAVEL_UPLOAD_MAX_{'MB' if which == 'size' else 'FILES'}" in words(response)
    assert not ImportJob.objects.exists()
    assert list(Path(settings.UPLOAD_DIR).iterdir()) == []


def test_a_full_disk_is_said(
    own: Client, study: Study, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(uploads._Part, "write", full, raising=False)
    response = own.post(NEW, {"upload": pairs()})
    assert response.status_code == 422
    assert "No space left on device" in words(response)
    monkeypatch.undo()
    monkeypatch.setattr("shutil.move", full)
    assert "make room in GAVEL_UPLOAD_DIR" in words(own.post(NEW, {"upload": pairs()}))
    assert not ImportJob.objects.exists()


def test_nothing_is_stored_for_somebody_without_the_right(
    as_user: Any, annotator: User, outsider: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The upload is not even read."""

    def read(*_: Any, **__: Any) -> None:
        raise AssertionError("the body was read")

    monkeypatch.setattr("django.http.multipartparser.MultiPartParser.__init__", read)
    assert as_user(annotator).post(NEW, {"upload": pairs()}).status_code == 403
    assert as_user(outsider).post(NEW, {"upload": pairs()}).status_code == 404
    assert Client().post(NEW, {"upload": pairs()}).status_code == 302
    assert not Path(settings.UPLOAD_DIR).exists()


def test_an_upload_without_the_csrf_token_is_refused(researcher: User, settings: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(researcher)
    assert client.post(NEW, {"upload": pairs()}).status_code == 403
    assert not ImportJob.objects.exists()
    page = client.get(NEW).content.decode()
    token, *_ = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    response = client.post(NEW, {"csrfmiddlewaretoken": token, "upload": pairs()})
    assert response.status_code == 302


def test_settings_of_the_chosen_format_count_and_others_do_not(own: Client, study: Study) -> None:
    data = {"comparison-task_set": "mine", "comparison-overlap": 2, "style-overlap": "not a number"}
    send(own, pairs(), format="comparison", **data)
    job = ImportJob.objects.get()
    assert job.options == {"task_set": "mine", "overlap": 2}
    page = own.get(f"{BASE}uploads/{job.pk}/").content.decode()
    assert 'value="mine"' in page
    response = own.post(NEW, {"upload": pairs(), "format": "comparison", "comparison-overlap": "x"})
    assert response.status_code == 422
    assert "Enter a whole number" in words(response)
    act(own, job, "look", format="comparison", **{"comparison-task_set": "other"})
    job.refresh_from_db()
    assert job.options == {"task_set": "other"}
    response = act(own, job, "look", format="nonsense")
    assert response.status_code == 422


def test_what_is_not_recognised_is_asked_for(own: Client, study: Study) -> None:
    response = send(own, upload("a.json", '{"something": "else"}'))
    assert "What is this?" in words(response)
    assert "Waits for a decision" in words(own.get(f"{BASE}imports/"))
    job = ImportJob.objects.get()
    text = words(act(own, job, "look", format="comparison"))
    assert "This file has problems" in text
    assert "Nothing was stored" in words(act(own, job, "cancel"))


def test_an_unknown_button_is_answered_in_words(own: Client, study: Study) -> None:
    send(own, pairs())
    assert act(own, ImportJob.objects.get(), "explode").status_code == 422


def test_a_large_upload_polls_until_there_is_something_to_decide(
    own: Client, study: Study, large: None
) -> None:
    response = send(own, pairs(), format="comparison")
    job = ImportJob.objects.get()
    page = response.content.decode()
    assert f'hx-get="{BASE}uploads/{job.pk}/progress/"' in page
    assert "Waiting to be looked through" in words(response)
    polled = own.get(f"{BASE}uploads/{job.pk}/progress/", headers={"HX-Request": "true"})
    assert (polled.status_code, polled.headers.get("HX-Refresh")) == (200, None)
    assert "No worker" not in words(polled)
    (uploads.folder_of(job) / "queued").unlink()
    assert "manage.py db_worker" in words(own.get(f"{BASE}uploads/{job.pk}/progress/"))
    jobs.run_job(job.pk)
    polled = own.get(f"{BASE}uploads/{job.pk}/progress/", headers={"HX-Request": "true"})
    assert (polled.status_code, polled["HX-Refresh"]) == (286, "true")
    act(own, job, "start")
    ImportJob.objects.update(status=Status.IMPORTING, started_at=timezone.now())
    (uploads.folder_of(job) / "alive").write_text("a worker")
    (uploads.folder_of(job) / "progress.json").write_text('{"done": 1, "total": 4}')
    text = words(own.get(f"{BASE}uploads/{job.pk}/"))
    assert "1 of 4" in text
    assert "25 %" in text
    act(own, job, "cancel")
    assert "Being cancelled" in words(own.get(f"{BASE}uploads/{job.pk}/"))
    (uploads.folder_of(job) / "alive").unlink()
    ImportJob.objects.update(started_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    text = words(own.get(f"{BASE}uploads/{job.pk}/"))
    assert "The process that worked on this is gone" in text
    assert "Start again" in text


@pytest.mark.parametrize("status", [Status.WAITING, Status.QUEUED])
def test_a_small_upload_that_did_not_begin_can_be_started_again(
    own: Client, study: Study, status: str
) -> None:
    """The web server was stopped, or the database was busy, between the click and the work."""
    send(own, pairs(), format="comparison")
    ImportJob.objects.update(status=status, started_at=None)
    job = ImportJob.objects.get()
    page = own.get(f"{BASE}uploads/{job.pk}/")
    assert "This has not begun" in words(page)
    assert "No worker" not in words(page)
    if status == Status.QUEUED:
        act(own, job, "start")
        assert Task.objects.count() == 2
    else:
        assert "Ready to import" in words(act(own, job, "look", format="comparison"))


def test_a_busy_database_is_said_and_nothing_is_lost(
    own: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    send(own, pairs())
    job = ImportJob.objects.get()
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "start", busy)
        assert "The database is busy" in words(act(own, job, "start"))
        patch.setattr(jobs, "take_upload", busy)
        assert "The database is busy" in words(send(own, pairs()))
    act(own, job, "start")
    assert Task.objects.count() == 2


def test_the_files_of_a_report_are_filtered_and_sorted(own: Client, study: Study) -> None:
    files = [
        {"path": f"{n:03}.json", "status": "read", "created": n, "unchanged": 0,
         "repairs": {"items": 1} if n == 7 else {}, "problems": ["bad"] if n == 60 else []}
        for n in range(120)
    ]  # fmt: skip
    totals = {"created": 7140, "repairs": {"items": 1}, "found": {"items": 1234, "keys": 1}}
    report = ImportReport.objects.create(
        study=study, source="x", kind="release", report={"files": files, "totals": totals}
    )
    path = f"{BASE}imports/{report.pk}/"

    def shown(query: str) -> list[str]:
        return re.findall(r"<bdi>(\d{3})\.json</bdi></th>", own.get(path + query).content.decode())

    assert shown("")[:2] == ["060", "000"]
    assert len(shown("")) == 50
    assert len(shown("?page=3")) == 20
    assert shown("?sort=-created")[0] == "119"
    assert shown("?sort=created")[0] == "000"
    assert shown("?show=problems") == ["060"]
    assert shown("?show=tolerated") == ["007"]
    assert len(shown("?show=x&sort=y&page=z")) == 50
    text = words(own.get(path))
    assert "items 1,234" in text
    assert "Created 7,140" in text


def test_a_zip_is_shown_by_the_names_inside(own: Client, study: Study) -> None:
    raw = packed({"a/one.json": json.dumps(payload(TWO)).encode(), "a/two.json": b""})
    text = words(send(own, upload("a.zip", raw)))
    assert "a/two.json The file is empty" in text
    assert "1 of 2 files can be imported as they are" in text


def test_researchers_of_another_study_see_nothing(own: Client, as_user: Any, study: Study) -> None:
    send(own, pairs())
    job = ImportJob.objects.get()
    other = make_member(make_study("other"), "researcher", "oscar")
    assert as_user(other).get(f"{BASE}uploads/{job.pk}/").status_code == 404
    assert as_user(other).get(f"/studies/other/uploads/{job.pk}/").status_code == 404
    response = as_user(other).post(f"/studies/other/uploads/{job.pk}/act/", {"act": "start"})
    assert response.status_code == 404
