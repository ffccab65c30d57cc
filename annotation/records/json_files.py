"""JSON files from elsewhere: read completely, or refused with the place and the remedy. PURE."""

from __future__ import annotations

import errno
import json
import math
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

from annotation.records.quoting import shown
from annotation.records.report import FileStatus, UnreadableFile

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 100
MAX_DIGITS = 300
BLOCK = 131_072

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WHITE = " \t\n\r"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_LITERALS = ("true", "false", "null")
# What the decoder has not eaten of a number that was cut off: "-", "1|.", "1.5|e", "1|E+".
_CUT_NUMBER = re.compile(r"-|\.|[eE][+-]?")
_CUT_ESCAPE = re.compile(r'[^"]{0,6}')
_SYSTEM_ERRORS = {
    errno.ENOENT: "There is no such file. Check the name.",
    errno.ENOTDIR: "There is no such file. Check the name.",
    errno.EACCES: "You may not read this file. Change its permissions and try again.",
    errno.EPERM: "You may not read this file. Change its permissions and try again.",
    errno.ELOOP: "The link leads back to itself. Put the file itself here.",
    errno.ENAMETOOLONG: "The name is too long for this system. Give the file a shorter one.",
}


class _Refused(Exception):
    """A token that is JSON in form and not acceptable; ``token`` as written."""

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


class _DuplicateKey(Exception):
    """Some object has one key twice."""


def read_json(
    path: Path,
    *,
    name: str = "",
    repairs: Counter[str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> object:
    """Read a whole JSON file.

    ``name`` is how messages call the file (default: the path). Raises ``UnreadableFile`` (status
    empty, truncated or unreadable) for a file that cannot be opened or is no plain file, is larger
    than ``max_bytes``, and for everything that :func:`parse_json` refuses.
    """
    name = name or str(path)
    return parse_json(read_plain_file(path, name, max_bytes), name=name, repairs=repairs)


def parse_json(raw: bytes, *, name: str, repairs: Counter[str] | None = None) -> object:
    """Parse the bytes of a JSON file called ``name``.

    A UTF-8 byte order mark is dropped and counted in ``repairs`` as ``byte_order_mark``. Raises
    ``UnreadableFile`` for empty and cut-off files, another encoding, broken JSON, NaN and Infinity
    (also by overflow), numbers of more than 300 digits, one key twice in an object, and
    nesting deeper than 100.
    """
    text = _decode(raw, name, repairs)
    if not text.strip(_WHITE):
        raise UnreadableFile(
            "The file is empty. Get it again from its source.", path=name, status=FileStatus.EMPTY
        )
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_float=_finite,
            parse_int=_whole,
        )
    except json.JSONDecodeError as error:
        raise _broken(error, raw, name) from error
    except _Refused as error:
        raise _unusable_number(error.token, text, name) from error
    except _DuplicateKey as error:
        raise _duplicate(text, name) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    if _is_deeper_than(value, MAX_DEPTH):
        raise _too_deep(name)
    return value


def read_plain_file(path: Path, name: str, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file that messages call ``name``.

    Raises ``UnreadableFile`` for what cannot be opened, is no plain file, or is too large.
    """
    with open_plain_file(path, name) as (file, size):
        raw = file.read(min(size, max_bytes) + 1)
    if len(raw) > max_bytes:
        raise UnreadableFile(
            f"The file is larger than the limit of {max_bytes:,} bytes. Split it, "
            "or have the limit raised.",
            path=name,
        )
    return raw


@contextmanager
def open_plain_file(path: Path, name: str) -> Iterator[tuple[BinaryIO, int]]:
    """The file at ``path``, opened to be read as bytes, with its size.

    Raises ``UnreadableFile``, which calls it ``name``, for what cannot be opened or is no plain
    file, and when the system cannot read on.
    """
    try:
        # Looked at before it is opened: opening a pipe would wait for ever.
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile("This is not a file. Name a file.", path=name)
        with path.open("rb") as file:
            yield file, status.st_size
    except OSError as error:
        reason = _SYSTEM_ERRORS.get(error.errno or 0)
        raise UnreadableFile(
            reason or f"The system could not read it ({error.strerror}). Try again.", path=name
        ) from error
    except ValueError as error:
        raise UnreadableFile("This cannot be the name of a file. Check it.", path=name) from error


def _decode(raw: bytes, name: str, repairs: Counter[str] | None) -> str:
    body = raw.removeprefix(_UTF8_BOM)
    if len(body) != len(raw) and repairs is not None:
        repairs["byte_order_mark"] += 1
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start + len(raw) - len(body)
        if error.reason == "unexpected end of data":
            raise cut_off(len(raw), name, f"byte {offset}") from error
        guess = " It looks like UTF-16." if raw.startswith(_UTF16_MARKS) else ""
        raise UnreadableFile(
            f"This is not UTF-8 (0x{raw[offset]:02x}).{guess} Save the file as UTF-8.",
            path=name,
            place=f"byte {offset}",
        ) from error
    if b"\x00" in raw[:4]:
        raise UnreadableFile(
            "This is not UTF-8. It looks like UTF-16. Save the file as UTF-8.",
            path=name,
            place=f"byte {raw.index(0)}",
        )
    return text


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _DuplicateKey
    return result


def _refuse(token: str) -> NoReturn:
    raise _Refused(token)


def _finite(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise _Refused(token)
    return value


def _whole(token: str) -> int:
    # int() refuses thousands of digits, str() as well: stop far below.
    if len(token) > MAX_DIGITS:
        raise _Refused(token)
    return int(token)


def _broken(error: json.JSONDecodeError, raw: bytes, name: str) -> UnreadableFile:
    if _ends_early(error):
        return cut_off(len(raw), name, _position(error.doc, len(error.doc)))
    return UnreadableFile(
        f"This is not JSON ({error.msg}). Correct it there, or get the file again.",
        path=name,
        place=_position(error.doc, error.pos),
    )


def _ends_early(error: json.JSONDecodeError) -> bool:
    """Whether more text could have made it JSON: the error is what the end of the file caused."""
    if error.msg.startswith("Unterminated string"):
        return True
    rest = error.doc[error.pos :].rstrip(_WHITE)
    if error.msg.startswith("Invalid \\uXXXX escape"):
        return _CUT_ESCAPE.fullmatch(rest) is not None
    return (
        not rest
        or _CUT_NUMBER.fullmatch(rest) is not None
        or any(literal.startswith(rest) for literal in _LITERALS)
    )


def cut_off(size: int, name: str, place: str) -> UnreadableFile:
    """The error for a file of ``size`` bytes that ends too early, at ``place``."""
    blocks, remainder = divmod(size, BLOCK)
    where = (
        f"after exactly {size:,} bytes ({blocks:,} x {BLOCK:,}): a copy stopped at the end of "
        "a block"
        if not remainder
        else f"after {size:,} bytes"
    )
    return UnreadableFile(
        f"The file is cut off {where}. Get it again from its source.",
        path=name,
        place=place,
        status=FileStatus.TRUNCATED,
    )


def _unusable_number(token: str, text: str, name: str) -> UnreadableFile:
    position = next(m.start() for m in _TOKEN.finditer(text) if m.group().startswith(token))
    return UnreadableFile(
        f"{shown(token)} is not a number that can be stored. Write null, or a number.",
        path=name,
        place=_position(text, position),
    )


def _duplicate(text: str, name: str) -> UnreadableFile:
    key, position = _first_duplicate(text)
    return UnreadableFile(
        f"The key {shown(key)} is there twice in one object, and only one could be kept. "
        "Take one out.",
        path=name,
        place=_position(text, position),
    )


def _first_duplicate(text: str) -> tuple[str, int]:
    """The key that some object has a second time, and where. ``text`` is known to have one."""
    open_objects: list[set[str]] = []
    previous: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        symbol = token.group()
        if symbol in "{[":
            open_objects.append(set())
        elif symbol in "}]":
            open_objects.pop()
        elif symbol == ":" and previous is not None:
            key = str(json.loads(previous.group()))
            if key in open_objects[-1]:
                return key, previous.start()
            open_objects[-1].add(key)
        previous = token
    raise AssertionError("no key twice in a text that was refused for one")


def _too_deep(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"The file nests lists and objects deeper than {MAX_DEPTH} levels, which no known format "
        "does. Check where it comes from.",
        path=name,
    )


def _is_deeper_than(value: object, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            element
            for container in level
            for element in _children(container)
            if isinstance(element, list | dict)
        ]
    return bool(level)


def _children(container: object) -> Iterable[object]:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, list) else ()


def _position(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"line {line}, column {offset - text.rfind(chr(10), 0, offset)}"
