"""A release as an upload: recognised by its folders, looked through, imported."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.importing import jobs
from annotation.models import ImportJob, Study

CASE = {"case_id": "1001", "case_type": "Prison Conditions", "summary": "It was filed."}


def a_zip(files: dict[str, bytes]) -> SimpleUploadedFile:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return SimpleUploadedFile("release.zip", out.getvalue())


@pytest.mark.parametrize("above", ["", "data/", "some folder/data/"], ids=["parts", "data", "deep"])
def test_a_release_is_recognised_wherever_its_folders_lie(study: Study, above: str) -> None:
    files = {f"{above}summaries/cases.json": b"[]", f"{above}evaluation/m/x.json": b""}
    job = jobs.take_upload(study, [a_zip(files)])
    assert job.format == "release"
    status = {file["path"].rpartition("/")[2]: file["status"] for file in job.preview["files"]}
    assert status["x.json"] == "empty"
    assert set(status) == {"cases.json", "x.json"}
    assert not any("unpacked" in file["path"] for file in job.preview["files"])


def test_a_single_file_is_asked_to_come_in_its_folders(study: Study) -> None:
    job = jobs.take_upload(study, [SimpleUploadedFile("a.json", b"[]")], "release")
    assert job.status == ImportJob.Status.WAITING
    assert "as one ZIP" in job.error


def test_the_real_release_is_checked_as_it_is_tried(
    study: Study, release_dir: Path, settings: Any
) -> None:
    """What a large upload is told without storing is what a dry run says of the files."""
    folder = release_dir / "data" / "summaries"
    files = {
        f"data/summaries/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*.json"))[:3]
    }
    files["data/summary_checklists/m/empty.json"] = b""
    files["data/notes.txt"] = json.dumps(CASE).encode()
    tried = jobs.take_upload(study, [a_zip(files)]).preview
    settings.UPLOAD_INLINE_MB = 0
    job = jobs.take_upload(study, [a_zip(files)], "release")
    jobs.run_job(job.pk)
    job.refresh_from_db()
    checked = job.preview
    assert (tried["is_dry_run"], checked["is_dry_run"]) == (True, False)
    for one, other in zip(tried["files"], checked["files"], strict=True):
        for key in ("path", "status", "problems"):
            assert one[key] == other[key]
    assert tried["totals"]["created"] > 0 == checked["totals"]["created"]
