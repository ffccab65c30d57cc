"""Unpacking a ZIP of a folder onto a disk, within limits. PURE."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

from annotation.records.cases.zip_files import BadZip, ZipFile, ZipMember
from annotation.records.progress import Progress
from annotation.records.quoting import printable
from annotation.records.report import FileReport, FileStatus

# The whole public release has 11,622 files and some 600 MB.
MOST_FILES = 100_000
MOST_BYTES = 4 * 1024 * 1024 * 1024
_LONGEST_NAME = 100  # bytes
_DEEPEST = 20
# What systems put into a ZIP beside the files.
_BESIDE = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def safe_name(name: str) -> str:
    """``name`` as the name of a file that no system, shell or page takes for anything else.

    Letters, digits, blanks and ``._-()`` stay, everything else becomes ``_``; at most 100 bytes,
    with the ending kept; never hidden, never empty.

    >>> safe_name("../Case 7.json"), safe_name(""), safe_name(".env")
    ('_Case 7.json', 'file', '_env')
    """
    text = unicodedata.normalize("NFC", name)
    # "..", "/" and "\\" can lead elsewhere, a dot in front hides.
    text = text.replace("..", "").replace("/", "_").replace("\\", "_")
    text = "".join(c if c.isalnum() or c in " ._-()" else "_" for c in text).strip(" ")
    if text.startswith("."):
        text = "_" + text[1:]
    text = text.rstrip(".") or "file"
    stem, dot, suffix = text.rpartition(".")
    ending = dot + suffix if stem and len(suffix.encode()) <= 10 else ""
    body = text[: len(text) - len(ending)]
    room = _LONGEST_NAME - len(ending.encode())
    return body.encode()[:room].decode(errors="ignore").rstrip(" ") + ending


def unpack(
    path: Path,
    into: Path,
    progress: Progress,
    *,
    most_bytes: int = MOST_BYTES,
    most_files: int = MOST_FILES,
) -> list[FileReport]:
    """Unpack the ZIP at ``path`` into the new folder ``into``; what was left out is returned.

    Members keep their places and names (made safe, see :func:`safe_name`); what systems add
    (``__MACOSX``, ``.DS_Store``) is passed over. A member that is a link, is encrypted, leads out
    of the ZIP, shrank as no text does or is damaged is left out and named. ``progress(done,
    total)`` is called after each file. Raises ``BadZip`` for what is no ZIP or is over a limit.
    """
    left_out: list[FileReport] = []
    with (
        path.open("rb") as file,
        ZipFile(file, Counter(), most_bytes=most_bytes, most_files=most_files) as archive,
    ):
        into.mkdir(mode=0o700)
        total = len(archive.members)
        for done, member in enumerate(archive.members):
            parts = _parts(member)
            if not parts or not _is_own(member):
                continue
            report = FileReport(printable(member.name))
            try:
                if len(parts) > _DEEPEST:
                    report.skip(f"It lies deeper than {_DEEPEST} folders. Move it up.")
                else:
                    _copy(archive, member, into.joinpath(*map(safe_name, parts)))
            except FileExistsError:
                report.skip("Another file of this ZIP has the same name on this system. Rename it.")
            except NotADirectoryError:
                report.skip("Its folder has the name of a file of this ZIP. Rename one.")
            except BadZip as error:
                report.problem("", str(error))
                report.status = FileStatus.UNREADABLE
            if report.problems:
                left_out.append(report)
            progress(done + 1, total)
    return left_out


def _copy(archive: ZipFile, member: ZipMember, target: Path) -> None:
    if member.refusal:
        raise BadZip(member.refusal)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with target.open("xb") as out:
        try:
            archive.copy(member, out)
        except BadZip:
            target.unlink()
            raise


def first_of(path: Path, size: int) -> tuple[str, bytes, frozenset[str]]:
    """A ZIP at first sight: name and first ``size`` bytes of its first file, names of all folders.

    The first file is the first by name that can be read and is not empty; files that systems add
    do not count. Raises ``BadZip`` when there is no file that can be read, or this is no ZIP.
    """
    with (
        path.open("rb") as file,
        ZipFile(file, Counter(), most_bytes=MOST_BYTES, most_files=MOST_FILES) as archive,
    ):
        members = [m for m in archive.members if m.size and not m.refusal and _is_own(m)]
        if not members:
            raise BadZip("There is no file in it that can be read.")
        first = min(members, key=lambda member: member.name)
        folders = frozenset(part for member in archive.members for part in _parts(member)[:-1])
        return first.name, archive.beginning(first, size), folders


def _is_own(member: ZipMember) -> bool:
    return not set(_parts(member)) & set(_BESIDE)


def _parts(member: ZipMember) -> list[str]:
    return [part for part in member.name.replace("\\", "/").split("/") if part]


def only_folder(folder: Path) -> Path:
    """The first folder from ``folder`` down that holds more than one folder and nothing else.

    A ZIP of a folder often holds just that folder.
    """
    while True:
        inside = list(folder.iterdir())
        if len(inside) != 1 or not inside[0].is_dir():
            return folder
        folder = inside[0]
