"""A release as a format that a person can upload."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from annotation.errors import InvalidFile, InvalidInput
from annotation.importing.formats import FormatField, ImportFormat, ImportRequest, register
from annotation.managing.services import template_of
from annotation.records.report import FileReport, ImportReport
from evaluation.releasing.readers.discover import ONLY, TOP_FOLDERS, discover
from evaluation.releasing.readers.family import readers, reason_to_skip
from evaluation.releasing.services import import_release

PARTS = FormatField(
    "only",
    "Which part",
    "Of a large release, cases and summaries first.",
    choices=(("", "Everything"), *((word, word.capitalize()) for word in ONLY)),
)


def register_formats() -> None:
    """Called once, when the app is ready."""
    register(
        ImportFormat(
            key="release",
            label="Release folder (ZIP)",
            description="A public release's data folder, or any part of it, in its own folders.",
            suffixes=(".zip",),
            run=_run,
            fields=(PARTS,),
            takes_folders=True,
            check=_check,
            folders=frozenset(TOP_FOLDERS),
        )
    )


def _run(request: ImportRequest) -> ImportReport:
    return import_release(
        _folder(request),
        request.study,
        only=_only(request),
        **request.manner,
    )


def _check(request: ImportRequest) -> ImportReport:
    """Read every file without storing any: what is wrong with files, not what is new in them."""
    files = discover(_folder(request), _only(request))
    family = readers(template_of(request.study).key_for, files)
    report = ImportReport()
    for done, file in enumerate(files):
        file_report = FileReport(file.name)
        report.files.append(file_report)
        if reason := reason_to_skip(file):
            file_report.skip(reason)
        else:
            try:
                deque(family[file.kind].read(file.path, file_report), maxlen=0)
            except InvalidFile as error:
                file_report.refuse(error)
        request.progress(done + 1, len(files))
    return report


def _folder(request: ImportRequest) -> Path:
    if len(request.paths) != 1 or not request.paths[0].is_dir():
        raise InvalidInput(
            "A release is known by its folders. Upload its folder, or a part of it, as one ZIP."
        )
    return request.paths[0]


def _only(request: ImportRequest) -> list[str] | None:
    part = str(request.options.get("only") or "")
    return [part] if part else None
