"""Writing exports: canonical lines, folders that appear whole or not at all, repeatable ZIPs. PURE.

"Pure" here: files and nothing of the database.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from annotation.errors import InvalidInput, Refused
from annotation.text.csv_text import Cell, csv_cell
from evaluation.exporting.bundle import MANIFEST, FileEntry

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a ZIP can hold
_SURROGATE = re.compile("[\ud800-\udfff]")
_COPY_BLOCK = 1024 * 1024


def canonical_line(value: object) -> bytes:
    """One JSON value on one line: keys sorted, no blanks, UTF-8, LF at the end.

    Lone surrogates, which UTF-8 cannot hold, stay escapes. Raises ``ValueError`` for NaN.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return _encoded(text) + b"\n"


def pretty_json(value: object) -> bytes:
    """The same for people: indented."""
    return _encoded(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)) + b"\n"


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


class _Hashing:
    """A file being written, and the hash of what went in. ``csv.writer`` may write to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def write(self, data: bytes | str) -> None:
        raw = data.encode() if isinstance(data, str) else data
        self._hash.update(raw)
        self._file.write(raw)

    def sync(self) -> str:
        """Make sure that the bytes are on the disk; the SHA-256 of all of them."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._hash.hexdigest()


def write_lines(folder: Path, name: str, lines: Iterable[bytes]) -> FileEntry:
    """Write a file of lines, one at a time."""
    rows = 0
    with (folder / name).open("xb") as file:
        out = _Hashing(file)
        for line in lines:
            out.write(line)
            rows += 1
        return FileEntry(path=name, rows=rows, sha256=out.sync())


def write_table(
    folder: Path, name: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> FileEntry:
    """Write a CSV file, one row at a time; cells cannot be run as formulas (see ``csv_cell``)."""
    count = 0
    with (folder / name).open("xb") as file:
        out = _Hashing(file)
        writer = csv.writer(out)
        writer.writerow(header)
        for row in rows:
            writer.writerow([csv_cell(cell) for cell in row])
            count += 1
        return FileEntry(path=name, rows=count, sha256=out.sync())


def write_json(folder: Path, name: str, value: object) -> FileEntry:
    """Write one JSON file (in subfolders, when ``name`` has some).

    It counts as one row, a list as one for each of its elements.
    """
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        out = _Hashing(file)
        out.write(pretty_json(value))
        rows = len(value) if isinstance(value, list) else 1
        return FileEntry(path=name, rows=rows, sha256=out.sync())


def write_json_list(folder: Path, name: str, values: Iterable[object]) -> FileEntry:
    """Write one JSON list, an element a line; each element counts as a row."""
    rows = 0
    with (folder / name).open("xb") as file:
        out = _Hashing(file)
        out.write(b"[")
        for value in values:
            out.write(b",\n" if rows else b"\n")
            out.write(canonical_line(value).rstrip(b"\n"))
            rows += 1
        out.write(b"\n]\n")
        return FileEntry(path=name, rows=rows, sha256=out.sync())


def write_text(folder: Path, name: str, text: str) -> FileEntry:
    """Write a text as it is; it counts as one row."""
    with (folder / name).open("xb") as file:
        out = _Hashing(file)
        out.write(text)
        return FileEntry(path=name, rows=1, sha256=out.sync())


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Write the manifest; its SHA-256, which stands for the whole export."""
    return write_json(folder, MANIFEST, manifest).sha256


@contextmanager
def new_folder(out: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to fill, which becomes ``out`` when the block ends well; else nothing of it stays.

    ``out`` may be missing or an empty folder. With ``force`` it may be an export, known by its
    manifest, which is replaced. Raises ``InvalidInput`` for anything else, ``Refused`` when
    the system cannot write (no room, no right).
    """
    out = Path(os.path.abspath(out))  # noqa: PTH100  resolve() would fail on a missing parent
    if out.is_symlink():
        out = out.resolve()
    replaces = _looked_at(out, force)
    partial = out.parent / f".{out.name}.{secrets.token_hex(4)}.partial"
    try:
        try:
            partial.mkdir(parents=True)
            yield partial
            _sync_folder(partial)
            _put_in_place(partial, out, replaces=replaces)
        except OSError as error:
            raise Refused(
                f"{out} could not be written: {_reason(error)} Nothing was left there."
            ) from error
    finally:
        if partial.exists():
            shutil.rmtree(partial, ignore_errors=True)


def _looked_at(out: Path, force: bool) -> bool:
    """Whether something is in the place of ``out`` that may be replaced."""
    try:
        if not out.exists():
            return False
        if not out.is_dir():
            raise InvalidInput(f"{out} is a file. Name a folder that does not exist yet.")
        if not any(out.iterdir()):
            return False
    except OSError as error:
        raise Refused(f"{out} cannot be looked at: {_reason(error)}") from error
    if force and _is_export(out):
        return True
    if force:
        raise InvalidInput(
            f"{out} is not empty and is no export of Gavel, so --force does not replace it. "
            "Name another folder."
        )
    raise InvalidInput(
        f"{out} is not empty. Name a folder that does not exist yet, or use --force to replace "
        "an earlier export."
    )


def _is_export(folder: Path) -> bool:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and str(manifest.get("format")).startswith("gavel-")


def _put_in_place(partial: Path, out: Path, *, replaces: bool) -> None:
    if not replaces:
        partial.rename(out)
        return
    old = out.parent / f".{out.name}.{secrets.token_hex(4)}.old"
    out.rename(old)
    try:
        partial.rename(out)
    except OSError:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full. Make room and try again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "you may not write there. Name another folder."
    return f"{error.strerror or error}."


def write_zip(folder: Path, target: IO[bytes], *, top: str) -> None:
    """Pack ``folder`` as ``top/...``: sorted and without times, so that equal files give equal
    bytes.
    """
    paths = sorted(
        (path for path in folder.rglob("*") if path.is_file()),
        key=lambda path: path.relative_to(folder).as_posix(),
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            name = f"{top}/{path.relative_to(folder).as_posix()}"
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with path.open("rb") as source, archive.open(info, "w", force_zip64=True) as entry:
                shutil.copyfileobj(source, entry, _COPY_BLOCK)
