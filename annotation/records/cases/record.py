"""A case with its documents, as a file told it. PURE."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from annotation.records.fields import as_object
from annotation.text.normalise import NormalisedText, storable_json, storable_text

# As many characters as the columns hold; a test keeps them equal to the models.
TITLE_LENGTH = 300
DOCUMENT_NAME_LENGTH = 500
DOCUMENT_TYPE_LENGTH = 120
# What the counting of tokens can hold in memory at once: some four million tokens.
LONGEST_DOCUMENT = 16_000_000
_LONGEST_FIELD = 20_000
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ].*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CaseHead:
    """What is said of a case besides its documents.

    ``reference`` is its reference summary, if the file has one. Texts are empty and dates None
    where the file says nothing.
    """

    case_id: str
    title: str = ""
    filing_date: date | None = None
    case_type: str = ""
    length_bin: str = ""
    reference: NormalisedText | None = None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class CaseDocument:
    """One document: ``text`` ready to be stored, ``name`` unique within the case.

    ``position`` counts from 1. ``file_sha256`` is of the bytes of the file the text was drawn
    from, empty where the text itself was in the file.
    """

    name: str
    position: int
    text: NormalisedText
    document_type: str = ""
    date: date | None = None
    file_sha256: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


def day(value: object, kind: str, repairs: Counter[str], aside: dict[str, object]) -> date | None:
    """The date in ``value``: ``2023-02-28``, with or without a time after it.

    Anything else is None; what is neither null nor empty is counted as ``<kind>_unreadable`` and
    kept in ``aside`` under ``kind``.
    """
    if value is None or value == "":
        return None
    found = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        if found:
            return date.fromisoformat(found[1])
    except ValueError:
        pass
    repairs[f"{kind}_unreadable"] += 1
    aside[kind] = storable_json(value)
    return None


def label(value: object, kind: str, longest: int, repairs: Counter[str]) -> str:
    """``value`` as a short text on one line, at most ``longest`` characters; "" for null.

    Numbers become text. Counted: ``<kind>_cut`` when it was too long, ``<kind>_unreadable`` when it
    is neither text nor number (then it is empty).
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        repairs[f"{kind}_unreadable"] += 1
        return ""
    text = one_line(str(value))
    if len(text) > longest:
        repairs[f"{kind}_cut"] += 1
        text = text[: longest - 3].rstrip() + "..."
    return text


def one_line(text: str) -> str:
    """Storable, every run of white space and control characters one blank, none at the ends."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", storable_text(text)).split())


def other_fields(
    raw: Mapping[str, object], known: Iterable[str], repairs: Counter[str]
) -> dict[str, object]:
    """The fields that nobody has read, storable. Long ones are left out and counted."""
    left = {key: value for key, value in raw.items() if key not in set(known)}
    short = {key: value for key, value in left.items() if _length(value) <= _LONGEST_FIELD}
    if len(short) != len(left):
        repairs["long_fields_left_out"] += len(left) - len(short)
    return as_object(storable_json(short), "")


def numbered(titles: list[str]) -> list[str]:
    """Names that are told apart: titles that occur several times get `` (001)``, `` (002)``, ...

    This is also how agents that were given the titles name such documents.

    >>> numbered(["Docket", "Order", "Order"])
    ['Docket', 'Order (001)', 'Order (002)']
    """
    totals = Counter(titles)
    taken = {title for title, n in totals.items() if n == 1}
    seen: Counter[str] = Counter()
    names = []
    for title in titles:
        name = title
        while totals[title] > 1 and (name == title or name in taken):
            seen[title] += 1
            suffix = f" ({seen[title]:03d})"
            name = title[: DOCUMENT_NAME_LENGTH - len(suffix)] + suffix
        taken.add(name)
        names.append(name)
    return names


def _length(value: object) -> int:
    """About as many characters as ``value`` has as JSON."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + _length(element) for key, element in value.items()) + 2
    if isinstance(value, list):
        return sum(map(_length, value)) + len(value) + 2
    return 8
