"""Tables as CSV that a spreadsheet cannot mistake for formulas. PURE."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

# A cell that begins with one of these is run as a formula by common spreadsheets.
_RISKY = ("=", "+", "-", "@", "\t", "\r")

Cell = str | int | float | bool | None


def csv_cell(value: Cell) -> str:
    """One cell: numbers as they are, None empty, text that could run as a formula quoted by ``'``.

    >>> csv_cell("=1+1"), csv_cell(-0.5), csv_cell("- a list")
    ("'=1+1", '-0.5', "'- a list")
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if value.startswith(_RISKY) else value
    return str(value)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A whole table as text, RFC 4180, with a line end of CRLF."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for row in rows:
        writer.writerow([csv_cell(value) for value in row])
    return out.getvalue()
