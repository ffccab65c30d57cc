"""Files of one JSON value a line, from elsewhere: read line by line, or refused. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from annotation.records.json_files import MAX_BYTES, cut_off, open_plain_file, parse_json
from annotation.records.report import FileStatus, UnreadableFile


def read_json_lines(
    path: Path,
    *,
    name: str = "",
    repairs: Counter[str] | None = None,
    max_line: int = MAX_BYTES,
) -> Iterator[tuple[int, object]]:
    """Yield each value with the number of its line, from 1 on; memory is that of one line.

    Lines of nothing but blanks are passed over and counted in ``repairs`` as ``blank_lines``.
    Raises ``UnreadableFile`` as :func:`read_json` does, also after values were yielded: whoever
    stores them must be able to undo it. Only a last line without a line end can be cut off; a line
    of more than ``max_line`` bytes is refused.
    """
    name = name or str(path)
    values = size = 0
    with open_plain_file(path, name) as (file, _):
        number = 0
        while line := file.readline(max_line + 1):
            number += 1
            size += len(line)
            if len(line) > max_line:
                raise UnreadableFile(
                    f"The line is longer than the limit of {max_line:,} bytes. Is the file one "
                    "JSON value a line?",
                    path=name,
                    place=f"line {number}",
                )
            if not line.strip():
                if repairs is not None:
                    repairs["blank_lines"] += 1
                continue
            values += 1
            yield number, _value(line, number, size, name, repairs)
    if not values:
        raise UnreadableFile(
            "The file is empty. Get it again from its source.", path=name, status=FileStatus.EMPTY
        )


def _value(line: bytes, number: int, size: int, name: str, repairs: Counter[str] | None) -> object:
    try:
        return parse_json(line.rstrip(b"\r\n"), name=name, repairs=repairs)
    except UnreadableFile as error:
        inside = error.place.removeprefix("line 1, ")
        place = f"line {number}, {inside}" if inside else f"line {number}"
        if error.status is not FileStatus.TRUNCATED:
            raise UnreadableFile(error.reason, path=name, place=place) from error
        if not line.endswith(b"\n"):
            raise cut_off(size, name, place) from error
        raise UnreadableFile(
            "The line ends before its JSON does. Correct it there, or get the file again.",
            path=name,
            place=place,
        ) from error
