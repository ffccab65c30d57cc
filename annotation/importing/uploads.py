"""Where uploads lie: a private folder a job, under made-up names, until the job has ended.

::

    UPLOAD_DIR/
      <job>/files/0001/<name>     one folder a file, so that no two names can meet
      <job>/unpacked/0001/...     what a ZIP held
      <job>/progress.json ...     see annotation.importing.progress
      *.part                      on the way in

A person's name for a file never becomes a path: what is left of it is letters, digits and an ending
(formats read the name of a case or a model from it), in a folder that has a made-up name.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.core.files.uploadhandler import (
    FileUploadHandler,
    StopUpload,
    TemporaryFileUploadHandler,
)
from django.http import HttpRequest

from annotation.errors import NotConfigured
from annotation.models import ImportJob
from annotation.records.archives import safe_name

MB = 1024 * 1024
# Of the fields of a form and the lines around its files.
_OVERHEAD = MB
_JOB = re.compile(r"[0-9a-f]{32}")


def upload_dir() -> Path:
    """The folder of all uploads, made when it is missing.

    Raises ``NotConfigured`` with the name of the setting when it cannot be.
    """
    folder = Path(settings.UPLOAD_DIR)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise NotConfigured(
            f"Uploads cannot be kept in {folder} ({error.strerror}). Whoever runs this site must "
            "set GAVEL_UPLOAD_DIR to a folder that it may write in."
        ) from error
    return folder


def folder_of(job: ImportJob) -> Path:
    """The folder of ``job``; it need not be there."""
    return upload_dir() / (job.folder or "none")


def store(files: Iterable[UploadedFile]) -> str:
    """Move uploaded files into a new folder, each into a numbered one; the folder's name."""
    name = uuid.uuid4().hex
    folder = upload_dir() / name
    folder.mkdir(mode=0o700)
    try:
        for number, file in enumerate(files, start=1):
            place = folder / "files" / f"{number:04}"
            place.mkdir(parents=True, mode=0o700)
            _move(file, place / safe_name(file.name or ""))
    except OSError as error:
        remove(name)
        raise NotConfigured(_no_room(error)) from error
    return name


def _no_room(error: OSError) -> str:
    return (
        f"The upload could not be stored ({error.strerror}). Whoever runs this site must make "
        "room in GAVEL_UPLOAD_DIR."
    )


def _move(file: UploadedFile, target: Path) -> None:
    if isinstance(file, TemporaryUploadedFile):
        shutil.move(file.temporary_file_path(), target)
        return
    with target.open("xb") as out:
        for chunk in file.chunks():
            out.write(chunk)


def stored_files(job: ImportJob) -> list[Path]:
    """The files of ``job`` in the order of its names."""
    places = sorted((folder_of(job) / "files").iterdir())
    return [next(place.iterdir()) for place in places]


def remove(folder: str) -> None:
    """Delete the folder of a job and all in it; nothing happens if it is gone."""
    if _JOB.fullmatch(folder):
        shutil.rmtree(upload_dir() / folder, ignore_errors=True)


def remove_leftovers(keep: Iterable[str], older_than: float) -> None:
    """Delete folders that no job of ``keep`` has, and parts of uploads, untouched for so long.

    ``older_than`` is in seconds.
    """
    kept, before = set(keep), time.time() - older_than
    for path in upload_dir().iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime > before or path.name in kept:
                continue
            if _JOB.fullmatch(path.name):
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix == ".part":
                path.unlink()


def limit_sentence() -> str:
    """What may be uploaded at once."""
    return f"At most {settings.UPLOAD_MAX_MB:,} MB in {settings.UPLOAD_MAX_FILES:,} files."


def too_large() -> str:
    """Why an upload was not taken, with the setting."""
    return (
        f"This is more than the {settings.UPLOAD_MAX_MB:,} MB that one upload may have "
        "(GAVEL_UPLOAD_MAX_MB). Split it, or import it by command where the site runs."
    )


def too_many() -> str:
    """The same for the number of files."""
    return (
        f"These are more than the {settings.UPLOAD_MAX_FILES:,} files that one upload may have "
        "(GAVEL_UPLOAD_MAX_FILES). Put them into one ZIP file."
    )


class _Part(TemporaryUploadedFile):
    """An upload on its way, already on the disk on which it will stay."""

    def __init__(self, name: str, content_type: str | None, charset: str | None) -> None:
        file = tempfile.NamedTemporaryFile(suffix=".part", dir=upload_dir())  # noqa: SIM115
        UploadedFile.__init__(self, file, name, content_type, 0, charset)


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Streams files to the upload folder and stops at the limits of the settings.

    ``request.upload_refused`` then says why.
    """

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.bytes_left = settings.UPLOAD_MAX_MB * MB
        self.files_left = settings.UPLOAD_MAX_FILES
        self.is_too_large = False

    def handle_raw_input(
        self,
        input_data: Any,
        META: Any,  # noqa: N803 - the name of Django's hook
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> None:
        self.is_too_large = content_length > self.bytes_left + _OVERHEAD
        self.content_length = content_length

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        FileUploadHandler.new_file(self, *args, **kwargs)
        self.files_left -= 1
        if self.is_too_large:
            self._stop(too_large())
        if self.files_left < 0:
            self._stop(too_many())
        self.file = _Part(self.file_name or "", self.content_type, self.charset)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.bytes_left -= len(raw_data)
        if self.bytes_left < 0:
            self.file.close()
            self._stop(too_large())
        try:
            self.file.write(raw_data)
        except OSError as error:
            self._stop(_no_room(error))

    def _stop(self, reason: str) -> None:
        self.request.upload_refused = reason  # type: ignore[union-attr]
        # The rest is read and thrown away: a browser shows no answer before it has sent all.
        raise StopUpload(connection_reset=False)
