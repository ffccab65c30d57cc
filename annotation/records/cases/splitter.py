"""The objects of a JSON file far too large to hold, one after another. PURE.

A list of objects, or objects that simply follow each other (JSON Lines). Only the ends of the
objects are looked for here, as bytes, a block at a time; each is then read by the strict reader of
:mod:`annotation.records.json_files`, so that a large file is judged like a small one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotation.records.json_files import (
    MAX_BYTES,
    cut_off,
    open_plain_file,
    parse_json,
)
from annotation.records.progress import Progress
from annotation.records.report import FileReport, FileStatus, UnreadableFile

BLOCK = 256 * 1024
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WHITE = re.compile(rb"[ \t\r\n]*+")
# Possessive: nothing is remembered for going back, however long the text is.
_PLAIN = re.compile(rb'[^"{}\[\]]*+')
_IN_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_QUOTE, _OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST, _COMMA = b'"{}[],'


@dataclass(frozen=True, slots=True)
class Piece:
    """One object as bytes: the ``number``-th (from 1), beginning at byte ``start``."""

    number: int
    start: int
    raw: bytes

    @property
    def place(self) -> str:
        """How messages name it."""
        return f"object {self.number:,} (from byte {self.start:,})"


def json_objects(
    path: Path,
    report: FileReport,
    progress: Progress,
    *,
    max_bytes: int = MAX_BYTES,
) -> Iterator[tuple[Piece, dict[str, object]]]:
    """Yield each object of the file at ``path`` with the bytes it was read from.

    Takes about seven times the memory of the largest object. ``progress(bytes, size)`` is called
    after each block. A byte order mark is counted in ``report.repairs``. Raises ``UnreadableFile``
    for an empty file, one that is cut off (status truncated, with the place), what is no list or
    row of objects, an object larger than ``max_bytes``, and all that ``parse_json`` refuses.
    """
    with open_plain_file(path, report.path) as (file, size):
        for piece in _pieces(file, size, report, progress, max_bytes):
            try:
                value = parse_json(piece.raw, name=report.path)
            except UnreadableFile as error:
                place = f"{piece.place}, {error.place}" if error.place else piece.place
                raise UnreadableFile(error.reason, path=report.path, place=place) from error
            assert isinstance(value, dict)  # noqa: S101 - it begins with a brace
            yield piece, value


@dataclass(slots=True)
class _State:
    """Where the scanner is between two blocks."""

    report: FileReport
    max_bytes: int
    number: int = 0
    start: int = 0
    depth: int = 0
    in_string: bool = False
    escaped: bool = False
    parts: list[bytes] = field(default_factory=list)
    held: int = 0
    # None: nothing seen yet; then whether the objects stand in a list, and what may come next.
    in_list: bool | None = None
    after_object: bool = False
    after_comma: bool = False
    closed: bool = False


def _pieces(
    file: BinaryIO,
    size: int,
    report: FileReport,
    progress: Progress,
    max_bytes: int,
) -> Iterator[Piece]:
    state = _State(report, max_bytes)
    offset = 0
    while block := file.read(BLOCK):
        skipped = 0
        if offset == 0:
            if block.startswith(_UTF8_BOM):
                report.repairs["byte_order_mark"] += 1
                skipped = len(_UTF8_BOM)
            if block.startswith(_UTF16_MARKS) or b"\0" in block[:4]:
                raise UnreadableFile(
                    "This is not UTF-8. It looks like UTF-16. Save the file as UTF-8.",
                    path=report.path,
                )
        yield from _scan(state, block, skipped, offset)
        offset += len(block)
        progress(offset, max(size, offset))
    if state.in_list is None:
        raise UnreadableFile(
            "The file is empty. Get it again from its source.",
            path=report.path,
            status=FileStatus.EMPTY,
        )
    if state.depth or (state.in_list and not state.closed):
        where = (
            f"object {state.number:,} (from byte {state.start:,})"
            if state.depth
            else (f"after object {state.number:,}")
        )
        raise cut_off(offset, report.path, where)


def _scan(state: _State, block: bytes, at: int, offset: int) -> Iterator[Piece]:
    """Yield the objects that end in ``block``, which begins at byte ``offset`` of the file."""
    begin = at
    while at < len(block):
        if not state.depth:
            at = _between(state, block, at, offset)
            begin = at - 1
        elif state.escaped:
            state.escaped = False
            at += 1
        elif state.in_string:
            at = _require_end(_IN_STRING, block, at)
            if at < len(block):
                # A backslash stands here only at the very end of the block.
                state.in_string, state.escaped = block[at] != _QUOTE, block[at] != _QUOTE
                at += 1
        else:
            at = _require_end(_PLAIN, block, at)
            if at < len(block):
                byte = block[at]
                at += 1
                if byte == _QUOTE:
                    state.in_string = True
                elif byte in (_OPEN, _OPEN_LIST):
                    state.depth += 1
                else:
                    state.depth -= 1
                    if not state.depth:
                        state.parts.append(block[begin:at])
                        raw = b"".join(state.parts)
                        state.parts, state.held, state.after_object = [], 0, True
                        _check_size(state, len(raw))
                        yield Piece(state.number, state.start, raw)
    if state.depth:
        state.parts.append(block[begin:] if begin else block)
        state.held += len(state.parts[-1])
        _check_size(state, state.held)


def _between(state: _State, block: bytes, at: int, offset: int) -> int:
    """Step over what stands between objects, to behind the brace that opens the next one."""
    while True:
        at = _require_end(_WHITE, block, at)
        if at >= len(block):
            return at
        byte = block[at]
        if state.in_list is None:
            state.in_list = byte == _OPEN_LIST
            if state.in_list:
                at += 1
                continue
        if byte == _OPEN and not state.closed and not (state.in_list and state.after_object):
            state.number += 1
            state.start = offset + at
            state.depth = 1
            state.after_comma = False
            return at + 1
        if byte == _COMMA and state.in_list and state.after_object and not state.closed:
            state.after_object, state.after_comma = False, True
        elif byte == _CLOSE_LIST and state.in_list and not state.after_comma and not state.closed:
            state.closed = True
        else:
            raise _unexpected(state, offset + at)
        at += 1


def _unexpected(state: _State, offset: int) -> UnreadableFile:
    after = f"after object {state.number:,}, " if state.number else ""
    return UnreadableFile(
        "An object was expected, and something else is there. The file must be a JSON list of "
        "objects, or one object after another (JSON Lines).",
        path=state.report.path,
        place=f"{after}byte {offset:,}",
    )


def _check_size(state: _State, held: int) -> None:
    if held > state.max_bytes:
        raise UnreadableFile(
            f"It is larger than the limit of {state.max_bytes:,} bytes for one object. Split it.",
            path=state.report.path,
            place=f"object {state.number:,} (from byte {state.start:,})",
        )


def _require_end(pattern: re.Pattern[bytes], block: bytes, at: int) -> int:
    found = pattern.match(block, at)
    return found.end() if found else at
