"""Tables as CSV that a spreadsheet cannot mistake for formulas. PURE."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

# A cell that begins with one of = + - @ tab CR is run as a formula by common spreadsheets. Quotes
# before it count, too: else a text that begins with '= by itself would lose its quote when read.
_RISKY = re.compile("'*[=+\\-@\t\r]")
_GUARDED = re.compile("'+[=+\\-@\t\r]")

Cell = str | int | float | bool | None


def csv_cell(value: Cell) -> str:
    """One cell: numbers as they are, None empty, text that could run as a formula quoted by ``'``.

    >>> csv_cell("=1+1"), csv_cell(-0.5), csv_cell("- a list")
    ("'=1+1", '-0.5', "'- a list")
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if _RISKY.match(value) else value
    return str(value)


def without_guard(cell: str) -> str:
    """The text that :func:`csv_cell` made ``cell`` of.

    >>> without_guard("'=1+1"), without_guard("'tis"), without_guard(csv_cell("'-5"))
    ('=1+1', "'tis", "'-5")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A whole table as text, RFC 4180, with a line end of CRLF."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for row in rows:
        writer.writerow([csv_cell(value) for value in row])
    return out.getvalue()
