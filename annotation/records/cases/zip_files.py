"""ZIP files from strangers: looked at before they are unpacked, never unpacked to a disk. PURE."""

from __future__ import annotations

import io
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import BinaryIO, Self

# 256 MB of files, 10,000 of them: several times the largest case there is.
MOST_BYTES = 256 * 1024 * 1024
MOST_FILES = 10_000
# Texts shrink to a fifth, repetitive ones to a fiftieth; what shrinks more was made to burst.
HIGHEST_RATIO = 250
_SMALL = 1024 * 1024
_LARGEST_INDEX = 16 * 1024 * 1024
_END = b"PK\x05\x06"
_END64 = b"PK\x06\x06"
_LOCATOR64 = b"PK\x06\x07"
_UTF8_NAMES = 0x800
_ENCRYPTED = 0x1
_FAILURES = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
)


class BadZip(Exception):
    """A ZIP file, or a member, that is not read; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in a ZIP. ``refusal`` says why it is not read (empty: it may be)."""

    name: str
    size: int
    refusal: str
    info: zipfile.ZipInfo


class ZipFile:
    """A ZIP opened for reading, its members looked at. Use it in ``with``.

    Raises ``BadZip`` for what is no ZIP, is cut off, or would unpack to more than ``most_bytes`` or
    ``most_files``. ``members`` leaves folders out; a member with a name that leads out of the ZIP,
    that is a link, is encrypted, is there twice or shrank more than any text does carries its
    refusal.
    Names that say no encoding are taken as UTF-8 if they are, else as code page 437, and counted in
    ``repairs`` as ``zip_names_guessed``.
    """

    def __init__(
        self,
        file: BinaryIO,
        repairs: Counter[str],
        *,
        most_bytes: int = MOST_BYTES,
        most_files: int = MOST_FILES,
    ) -> None:
        try:
            _check_index(file)
            file.seek(0)
            self._zip = zipfile.ZipFile(file)
            infos = [info for info in self._zip.infolist() if not info.is_dir()]
        except BadZip:
            raise
        except _FAILURES as error:
            raise BadZip(
                "This is no ZIP file that can be read, or it is cut off. Get it again."
            ) from error
        if len(infos) > most_files:
            raise BadZip(f"It holds {len(infos):,} files, more than {most_files:,}. Split it.")
        total = sum(info.file_size for info in infos)
        if total > most_bytes:
            raise BadZip(f"Unpacked it would have {total:,} bytes, more than {most_bytes:,}.")
        self._by_name: dict[str, ZipMember] = {}
        self.members: list[ZipMember] = []
        for info in infos:
            name = _name(info, repairs)
            refusal = _refusal(info, name)
            if name in self._by_name:
                refusal = "It is there twice, and only one could be kept. Take one out."
            member = ZipMember(name, info.file_size, refusal, info)
            self._by_name.setdefault(name, member)
            self.members.append(member)

    @classmethod
    def of_bytes(cls, raw: bytes, repairs: Counter[str]) -> Self:
        """The same for a ZIP in memory."""
        return cls(io.BytesIO(raw), repairs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """The bytes of a member. Raises ``BadZip`` if it is refused or cannot be unpacked."""
        member = self._by_name.get(name)
        if member is None:
            raise BadZip("It is not there.")
        if member.refusal:
            raise BadZip(member.refusal)
        try:
            with self._zip.open(member.info) as opened:
                raw = opened.read(member.size + 1)
        except _FAILURES as error:
            raise BadZip("It is damaged inside the ZIP. Get the ZIP again.") from error
        if len(raw) != member.size:
            raise BadZip("It has not the size that the ZIP says. Get the ZIP again.")
        return raw

    def beginning(self, member: ZipMember, size: int) -> bytes:
        """At most the first ``size`` bytes of a member; nothing where it cannot be unpacked."""
        try:
            with self._zip.open(member.info) as opened:
                return opened.read(size)
        except _FAILURES:
            return b""

    def copy(self, member: ZipMember, target: BinaryIO) -> None:
        """Write a member to ``target``, a block at a time, and never more than the ZIP says.

        Raises ``BadZip`` as :meth:`read` does.
        """
        if member.refusal:
            raise BadZip(member.refusal)
        left = member.size
        try:
            with self._zip.open(member.info) as opened:
                while block := opened.read(min(_SMALL, left + 1)):
                    left -= len(block)
                    if left < 0:
                        break
                    target.write(block)
        except _FAILURES as error:
            raise BadZip("It is damaged inside the ZIP. Get the ZIP again.") from error
        if left:
            raise BadZip("It has not the size that the ZIP says. Get the ZIP again.")


def _check_index(file: BinaryIO) -> None:
    """Refuse an index of files that would itself fill the memory, before it is read."""
    file.seek(0, io.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - 65_557 - 20))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        raise BadZip("This is no ZIP file, or its end is missing. Get it again.")
    (index,) = struct.unpack_from("<L", tail, at + 12)
    locator = at - 20
    if locator >= 0 and tail[locator : locator + 4] == _LOCATOR64:
        (place,) = struct.unpack_from("<Q", tail, locator + 8)
        file.seek(place if place < size else 0)
        record = file.read(56)
        if record[:4] == _END64:
            (index,) = struct.unpack_from("<Q", record, 40)
    if index > _LARGEST_INDEX:
        raise BadZip(f"It holds more than {MOST_FILES:,} files. Split it.")


def _name(info: zipfile.ZipInfo, repairs: Counter[str]) -> str:
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAMES or name.isascii():
        return name
    repairs["zip_names_guessed"] += 1
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _refusal(info: zipfile.ZipInfo, name: str) -> str:
    parts = re.split(r"[/\\]", name)
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name) or ".." in parts:
        return "Its name leads out of the ZIP. It was not read; make the ZIP anew."
    if stat.S_ISLNK(info.external_attr >> 16):
        return "It is a link. Put the file itself into the ZIP."
    if info.flag_bits & _ENCRYPTED:
        return "It is protected by a password. Make the ZIP without one."
    if info.file_size > _SMALL and info.file_size > HIGHEST_RATIO * info.compress_size:
        return (
            f"It would grow to {info.file_size:,} bytes from {info.compress_size:,}, as no text "
            "does. It was not read."
        )
    return ""
