"""Dates as people write them. PURE.

A date is written in the notation of EDTF (ISO 8601-2): ``X`` for what the text does not say, so
``July 21`` is ``XXXX-07-21``, ``July 2025`` is ``2025-07-XX`` and ``2025`` is ``2025-XX-XX``.
Two dates agree when no part that both of them state differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# Words of everyday English in lower case: only a capital makes them months.
_ONLY_WITH_CAPITAL = {"may", "march", "mar"}
# A two-digit year below this belongs to this century (the POSIX convention is 69).
_CENTURY_PIVOT = 69

_MONTH = (
    r"(?P<month>\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)\.?"
)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:1[6-9]|20)\d\d(?!\d)"

_WRITTEN = re.compile(
    rf"{_MONTH}\s+(?:the\s+)?(?P<day>{_DAY}){_ORDINAL}(?!\w)"
    rf"(?:\s?-\s?(?P<last>{_DAY}){_ORDINAL}(?!\w))?(?:,?\s+(?P<year>{_YEAR}))?",
    re.IGNORECASE,
)
_WRITTEN_DAY_FIRST = re.compile(
    rf"(?<![\w.,:/-])(?P<day>{_DAY}){_ORDINAL}(?:\s+of)?\s+{_MONTH}(?:,?\s+(?P<year>{_YEAR}))?",
    re.IGNORECASE,
)
_MONTH_AND_YEAR = re.compile(rf"{_MONTH},?\s+(?:of\s+)?(?P<year>{_YEAR})", re.IGNORECASE)
_ISO = re.compile(rf"(?<![\w-])(?P<year>{_YEAR})([-/])(?P<month>\d\d?)\2(?P<day>\d\d?)(?=T|\b)")
_NUMERIC = re.compile(r"(?<![\w./:-])(\d\d?)([-/.])(\d\d?)\2(\d{4}|\d\d)(?![\w/-])")
_BARE_YEAR = re.compile(rf"(?<![\w$.,:/]){_YEAR}(?![\w:/])(?![.,]\d)")


class Found(NamedTuple):
    """Something found in ``text[start:end]``, in its canonical form."""

    start: int
    end: int
    key: str


def written_dates(text: str) -> Iterator[Found]:
    """Dates that name their month, and ISO and numeric dates; matches may overlap.

    ``text`` is folded text. Numeric dates are read month first with slashes and hyphens and day
    first with dots, unless only the other reading is a date.
    """
    for match in _WRITTEN.finditer(text):
        if (month := _month(match)) is None:
            continue
        for group in ("day", "last"):
            if match[group] and (key := _key(match["year"], month, int(match[group]))):
                # A range is two dates; both stand for the whole of it, split where it splits.
                border = match.end("day")
                two = match["last"] is not None
                start = match.start("last") if group == "last" else match.start()
                yield Found(start, border if two and group == "day" else match.end(), key)
    for match in _WRITTEN_DAY_FIRST.finditer(text):
        month = _month(match)
        if month is not None and (key := _key(match["year"], month, int(match["day"]))):
            yield Found(match.start(), match.end(), key)
    for match in _MONTH_AND_YEAR.finditer(text):
        if (month := _month(match)) is not None:
            yield Found(match.start(), match.end(), f"{match['year']}-{month:02}-XX")
    for match in _ISO.finditer(text):
        if key := _key(match["year"], int(match["month"]), int(match["day"])):
            yield Found(match.start(), match.end(), key)
    for match in _NUMERIC.finditer(text):
        if key := _numeric_key(match):
            yield Found(match.start(), match.end(), key)


def bare_years(text: str) -> Iterator[Found]:
    """Years that stand alone, 1600 to 2099."""
    for match in _BARE_YEAR.finditer(text):
        yield Found(match.start(), match.end(), f"{match[0]}-XX-XX")


def dates_agree(one: str, other: str) -> bool:
    """Whether two dates, in the notation above, can be the same day.

    >>> dates_agree("XXXX-07-21", "2025-07-21"), dates_agree("2025-07-18", "2025-07-21")
    (True, False)
    """
    pairs = zip(one.split("-"), other.split("-"), strict=True)
    return all(a == b or "X" in a or "X" in b for a, b in pairs)


def date_parts(key: str) -> int:
    """How many of year, month and day a date states.

    >>> date_parts("XXXX-07-21")
    2
    """
    return sum("X" not in part for part in key.split("-"))


def _month(match: re.Match[str]) -> int | None:
    word = match["month"]
    if word in _ONLY_WITH_CAPITAL:
        return None
    return _MONTHS.index(word[:3].lower()) + 1


def _key(year: str | None, month: int, day: int) -> str | None:
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS_IN_MONTH[month - 1]:
        return None
    return f"{year or 'XXXX'}-{month:02}-{day:02}"


def _numeric_key(match: re.Match[str]) -> str | None:
    first, separator, second, year = match.groups()
    if len(year) == 2:
        year = f"{'20' if int(year) < _CENTURY_PIVOT else '19'}{year}"
    readings = [(int(first), int(second)), (int(second), int(first))]
    if separator == ".":
        readings.reverse()
    for month, day in readings:
        if key := _key(year, month, day):
            return key
    return None
