"""Reading the files of a bundle, a line at a time, without trusting them. PURE."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from pydantic import ValidationError

from annotation.records.quoting import printable
from evaluation.exporting.bundle import Row
from evaluation.exporting.rows import first_fault
from evaluation.exporting.writers import canonical_line

KEPT_BYTES = 8 * 1024 * 1024
# NUL as JSON writes it: its escape, whose backslash is not itself escaped.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
R = TypeVar("R", bound=Row)


class BadLine(Exception):
    """A line that is no row of its file; ``str`` says why."""


def parse_line(raw: bytes, kind: type[R]) -> R:
    """One line, its LF included, as a row.

    Raises ``BadLine`` for what is not UTF-8, not JSON, not a row of this kind, or written otherwise
    than ``canonical_line`` writes it.
    """
    if not raw.endswith(b"\n"):
        raise BadLine("ends without a line end: the file was cut off")
    try:
        row = _row(raw, kind)
        canonical = canonical_line(row.to_json())
    except UnicodeDecodeError as error:
        raise BadLine(f"is not UTF-8 (byte {error.start})") from error
    except ValidationError as error:
        raise BadLine(printable(first_fault(error))) from error
    except (ValueError, RecursionError) as error:
        raise BadLine(f"is not JSON ({printable(str(error))[:200]})") from error
    if b"\\u0000" in raw and _NUL.search(raw):
        raise BadLine("holds a NUL character, which no text of a study has")
    if canonical != raw:
        raise BadLine("is not written as an export writes it (keys sorted, no blanks, LF)")
    return row


def verified_line(raw: bytes, kind: type[R]) -> R:
    """One line that ``parse_line`` has accepted before, with fewer checks and in less time.

    Raises ``BadLine`` for what is no row of this kind.
    """
    try:
        return kind.model_validate(json.loads(raw))
    except (ValueError, RecursionError) as error:
        raise BadLine(f"is another one by now ({printable(str(error))[:200]})") from error


def _row(raw: bytes, kind: type[R]) -> R:
    value = json.loads(raw.decode(), object_pairs_hook=_object, parse_constant=_refuse)
    return kind.model_validate(value)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("one key twice in an object")
    return found


def _refuse(token: str) -> NoReturn:
    raise ValueError(f"{token} is no number")


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with the byte offset at which it begins."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset, line
            offset += len(line)


class Shelf(Generic[R]):
    """Rows of one file that are read again when they are asked for; the last few are kept, as
    many as fit into ``KEPT_BYTES`` (but one, however large).
    """

    def __init__(self, folder: Path, kind: type[R]) -> None:
        self._path = folder / kind.FILE
        self._kind = kind
        self._places: dict[object, int] = {}
        self._kept: OrderedDict[object, tuple[R, int]] = OrderedDict()
        self._size = 0

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def note(self, key: object, offset: int) -> None:
        """The row called ``key`` begins at ``offset``."""
        self._places[key] = offset

    def get(self, key: object) -> R | None:
        """The row called ``key``, or None when there is none."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        if key not in self._places:
            return None
        with self._path.open("rb") as file:
            file.seek(self._places[key])
            raw = file.readline()
        row = _row(raw, self._kind)
        self._kept[key] = (row, len(raw))
        self._size += len(raw)
        while self._size > KEPT_BYTES and len(self._kept) > 1:
            _, (_, size) = self._kept.popitem(last=False)
            self._size -= size
        return row
