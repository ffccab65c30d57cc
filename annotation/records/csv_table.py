"""CSV files from elsewhere: their encoding, delimiter and columns found out, or refused. PURE."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.records.json_files import MAX_BYTES, read_plain_file
from annotation.records.quoting import brief
from annotation.records.report import FileReport, FileStatus, UnreadableFile
from annotation.text.csv_text import without_guard

DELIMITERS = (",", ";", "\t")
_BOM = "\ufeff"
# Longer marks first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "utf_32"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf_32"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf_16"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf_16"),
)
_NOT_OF_A_NAME = re.compile(r"[^a-z0-9]+")
_SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a kind of table.

    ``names`` maps each column to the other names that it may have; upper and lower case, blanks
    and signs do not matter in a header. ``required`` must all be there. ``what`` is what the
    rows are, in messages.
    """

    what: str
    required: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]] = field(hash=False)

    def column(self, header: str) -> str | None:
        """The column that ``header`` names."""
        name = _plain(header)
        for column, others in self.names.items():
            if name in (column, *others):
                return column
        return None


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``line`` is where it begins (from 1; ``unit`` is what is counted), ``cells`` the
    known columns that are not blank, ``others`` the further ones by their header. Texts are as they
    were before a guard against formulas was put in front of them.
    """

    line: int
    cells: Mapping[str, str] = field(hash=False)
    others: Mapping[str, str] = field(hash=False)
    unit: str = "line"

    @property
    def place(self) -> str:
        """How problems name the row."""
        return f"{self.unit} {self.line}"


def has_columns(beginning: bytes, columns: Columns) -> bool:
    """Whether a file that begins so has a header with all required columns."""
    encodings = (encoding for mark, encoding, _ in _MARKS if beginning.startswith(mark))
    text = beginning.decode(next(encodings, "utf-8"), "ignore").removeprefix(_BOM)
    text = text[match.end() :] if (match := _SEPARATOR_LINE.match(text)) else text
    lines = text.splitlines()
    if not lines:
        return False
    named = {columns.column(cell) for cell in lines[0].split(_delimiter(lines[0], columns))}
    return named >= set(columns.required)


def read_table(path: Path, columns: Columns, report: FileReport) -> list[Row]:
    """Read the file at ``path``; see :func:`parse_table`."""
    return parse_table(read_plain_file(path, report.path), columns, report)


def parse_table(raw: bytes, columns: Columns, report: FileReport) -> list[Row]:
    """The rows of a table, in order.

    UTF-8, UTF-16 and UTF-32 by their marks, else UTF-8, else Windows-1252; cells are separated by
    comma, semicolon or tab, whichever gives most of the columns. A row with too few or too many
    cells is a problem with its line. Counted in ``report.repairs``: ``byte_order_mark``,
    ``utf_16``, ``utf_32``, ``windows_1252``, ``blank_rows``, ``separator_line``,
    ``empty_cells_at_the_end``, ``formula_guards`` (taken off). Raises ``UnreadableFile`` when the
    file is empty, in no or mixed encodings, broken, cut off inside a cell, or lacks a required
    column.
    """
    text = _decode(raw, report)
    # No cell can be longer than the file, whose size is limited; the module's own limit is lower.
    csv.field_size_limit(MAX_BYTES)
    if match := _SEPARATOR_LINE.match(text):
        report.repairs["separator_line"] += 1
    skipped = match.end() if match else 0
    body = text[skipped:]
    delimiter = match[1] if match and match[1] in DELIMITERS else _delimiter(body, columns)
    rows = _rows(body, delimiter, int(skipped > 0), report)
    header = next(rows, None)
    if header is None:
        raise _empty(report)
    names, others = _header(header[1], columns, report)
    repairs: Counter[str] = Counter()
    found = []
    for line, cells in rows:
        row = _row(line, cells, names, others, len(header[1]), repairs, report)
        if row is not None:
            found.append(row)
    report.repairs.update(repairs)
    if not found and not report.problems:
        report.problem("", f"The file has columns and no {columns.what}.")
    return found


def _decode(raw: bytes, report: FileReport) -> str:
    encoding, repair = next(
        ((encoding, repair) for mark, encoding, repair in _MARKS if raw.startswith(mark)),
        ("utf-8", ""),
    )
    if repair:
        report.repairs[repair] += 1
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            raise UnreadableFile(
                f"It begins as {encoding.upper()} and is not ({error.reason}). Save it as UTF-8.",
                path=report.path,
                place=f"byte {error.start}",
            ) from error
        text = _not_utf8(raw, error, report)
    if encoding == "utf-8" and "\x00" in text[:4]:
        raise UnreadableFile(
            "It looks like UTF-16 without its mark. Save it as UTF-8.", path=report.path
        )
    if text.startswith(_BOM):
        report.repairs["byte_order_mark"] += 1
        text = text.removeprefix(_BOM)
    if not text.strip():
        raise _empty(report)
    return text


def _not_utf8(raw: bytes, error: UnicodeDecodeError, report: FileReport) -> str:
    """Text of a spreadsheet that writes Windows-1252, when nothing speaks against it."""
    rest = raw.decode("utf-8", "ignore")
    if error.reason == "unexpected end of data":
        raise UnreadableFile(
            f"The file is cut off after {len(raw):,} bytes. Get it again from its source.",
            path=report.path,
            place=f"byte {error.start}",
            status=FileStatus.TRUNCATED,
        ) from error
    if not rest.isascii():
        raise UnreadableFile(
            f"This is UTF-8 in some places and not in others (0x{raw[error.start]:02x}). "
            "Save the whole file as UTF-8.",
            path=report.path,
            place=f"byte {error.start}",
        ) from error
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError as unknown:
        raise UnreadableFile(
            f"This is neither UTF-8 nor Windows-1252 (0x{raw[unknown.start]:02x}). "
            "Save the file as UTF-8.",
            path=report.path,
            place=f"byte {unknown.start}",
        ) from unknown
    report.repairs["windows_1252"] += 1
    return text


def _empty(report: FileReport) -> UnreadableFile:
    return UnreadableFile(
        "The file is empty. Get it again from its source.",
        path=report.path,
        status=FileStatus.EMPTY,
    )


def _delimiter(text: str, columns: Columns) -> str:
    """The one under which the header names most columns; then the one with most cells."""

    def worth(delimiter: str) -> tuple[int, int]:
        try:
            header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        except csv.Error:
            return (0, 0)
        return (len({columns.column(cell) for cell in header} - {None}), len(header))

    return max(DELIMITERS, key=worth)


def _rows(
    text: str, delimiter: str, lines_before: int, report: FileReport
) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not blank, with the line where it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + lines_before + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _broken(error, line, report) from error
        if any(cell.strip() for cell in cells):
            yield line, cells
        else:
            report.repairs["blank_rows"] += 1


def _broken(error: csv.Error, line: int, report: FileReport) -> UnreadableFile:
    if "unexpected end of data" in str(error):
        return UnreadableFile(
            "The file ends inside a quoted cell. It was cut off, or a quote is missing in the row "
            "that begins here.",
            path=report.path,
            place=f"line {line}",
            status=FileStatus.TRUNCATED,
        )
    return UnreadableFile(
        f"The row that begins here cannot be read ({error}). Inside a quoted cell a quote is "
        "written twice.",
        path=report.path,
        place=f"line {line}",
    )


def _header(
    header: Sequence[str], columns: Columns, report: FileReport
) -> tuple[dict[int, str], dict[int, str]]:
    """Which cell is which known column, and the names of the others."""
    names: dict[int, str] = {}
    others: dict[int, str] = {}
    for index, cell in enumerate(header):
        column = columns.column(cell)
        if column is None:
            name = without_guard(cell).strip() or f"column {index + 1}"
            while name in others.values():
                name += f" ({index + 1})"
            others[index] = name
        elif column in names.values():
            raise UnreadableFile(
                f"Two columns are called {column}. Take one out, or give it another name.",
                path=report.path,
                place="line 1",
            )
        else:
            names[index] = column
    missing = [column for column in columns.required if column not in names.values()]
    if missing:
        there = ", ".join(brief(cell.strip()) for cell in header[:12])
        raise UnreadableFile(
            f"This is no table of {columns.what}: it has no column {', '.join(missing)}. "
            f"Its columns are: {there}.",
            path=report.path,
            place="line 1",
        )
    if others:
        report.found["further_columns_kept"] = len(others)
    return names, others


def _row(
    line: int,
    cells: list[str],
    names: Mapping[int, str],
    others: Mapping[int, str],
    width: int,
    repairs: Counter[str],
    report: FileReport,
) -> Row | None:
    while len(cells) > width and not cells[-1].strip():
        repairs["empty_cells_at_the_end"] += 1
        cells = cells[:-1]
    if len(cells) != width:
        report.problem(
            f"line {line}",
            f"has {len(cells)} cells, and the header {width}. Put cells that hold a delimiter "
            "into quotes.",
        )
        return None
    texts = [without_guard(cell) for cell in cells]
    if guarded := sum(a != b for a, b in zip(texts, cells, strict=True)):
        repairs["formula_guards"] += guarded
    return Row(
        line,
        {name: texts[index] for index, name in names.items() if texts[index].strip()},
        {name: texts[index] for index, name in others.items() if texts[index].strip()},
    )


def _plain(header: str) -> str:
    return _NOT_OF_A_NAME.sub("_", header.casefold()).strip("_")
