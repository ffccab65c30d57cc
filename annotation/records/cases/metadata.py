"""``metadata.json``: what a person says of a case and its documents. PURE.

All of it is optional::

    {
      "case_id": "46210",
      "title": "United States v. Denka",
      "filing_date": "2023-02-28",
      "case_type": "Environmental Justice",
      "documents": {
        "complaint.pdf": {"type": "Complaint", "date": "2023-02-28", "order": 1}
      }
    }

``documents`` may also be a list, in reading order, of objects that name their ``file``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from annotation.records.cases.record import (
    DOCUMENT_NAME_LENGTH,
    DOCUMENT_TYPE_LENGTH,
    TITLE_LENGTH,
    CaseHead,
    day,
    label,
    other_fields,
)
from annotation.records.fields import (
    CASE_ID_LENGTH,
    LENGTH_BIN_LENGTH,
    NAME_LENGTH,
    Misfit,
    as_case_id,
    as_int,
    as_list,
    as_object,
    as_text,
    within,
)
from annotation.records.report import FileReport, UnreadableFile

_CASE = ("case_id", "title", "filing_date", "case_type", "length_bin", "documents")
_FILE = ("file", "filename", "name")
_TYPE = ("type", "document_type", "doc_type")
_DOCUMENT = (*_FILE, *_TYPE, "title", "date", "order")


@dataclass(frozen=True, slots=True)
class DocumentNote:
    """What is said of one file. ``order`` is None where nothing fixes its place."""

    document_type: str = ""
    title: str = ""
    date: date | None = None
    order: int | None = None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class CaseNotes:
    """The whole of it. ``documents`` by file name, as written."""

    head: CaseHead
    documents: Mapping[str, DocumentNote] = field(default_factory=dict, hash=False)


def case_notes(data: object, fallback_id: str, report: FileReport) -> CaseNotes:
    """Read parsed ``metadata.json``; ``fallback_id`` is the case id where it has none.

    Entries of ``documents`` that cannot be accepted become problems. Dates that are none are
    counted in ``report.repairs`` and kept as metadata. Raises ``UnreadableFile`` when it is no
    object, or its case id cannot be one.
    """
    try:
        raw = as_object(data, "")
        case_id = case_id_of(raw.get("case_id"), "case_id") or fallback_id
    except Misfit as misfit:
        where = misfit.place or "it"
        raise UnreadableFile(
            f"This is no metadata of a case: {where} {misfit.message}", path=report.path
        ) from misfit
    repairs, aside = report.repairs, dict[str, object]()
    head = CaseHead(
        case_id=case_id,
        title=label(raw.get("title"), "title", TITLE_LENGTH, repairs),
        filing_date=day(raw.get("filing_date"), "filing_date", repairs, aside),
        case_type=label(raw.get("case_type"), "case_type", NAME_LENGTH, repairs),
        length_bin=label(raw.get("length_bin"), "length_bin", LENGTH_BIN_LENGTH, repairs),
        metadata={**other_fields(raw, _CASE, repairs), **aside},
    )
    documents: dict[str, DocumentNote] = {}
    for name, note, place in _entries(raw.get("documents"), report):
        try:
            read = _note(note, place, report)
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
            continue
        if name in documents:
            report.problem(place, "names a file that was named before. Take one of the two out.")
        else:
            documents[name] = read
    return CaseNotes(head, documents)


def case_id_of(value: object, place: str) -> str:
    """A case id; numbers become text, null is "". Raises ``Misfit``."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return as_case_id(str(value)[: CASE_ID_LENGTH + 1], place)
    return as_case_id(value, place)


def _entries(value: object, report: FileReport) -> list[tuple[str, object, str]]:
    """File name, what is said of it, and its place. Entries of a list get their position."""
    found: list[tuple[str, object, str]] = []
    try:
        if isinstance(value, dict):
            for name, note in value.items():
                found.append(
                    (
                        name,
                        {"type": note} if isinstance(note, str) else note,
                        within("documents", name),
                    )
                )
        elif value is not None:
            for position, entry in enumerate(as_list(value, "documents")):
                place = within("documents", position)
                raw = {"file": entry} if isinstance(entry, str) else as_object(entry, place)
                name = as_text(_first(raw, _FILE), f"{place}.file")
                found.append((name, {"order": position + 1, **raw}, place))
    except Misfit as misfit:
        report.problem(misfit.place, misfit.message)
    return found


def _note(value: object, place: str, report: FileReport) -> DocumentNote:
    raw = {} if value is None else as_object(value, place)
    aside: dict[str, object] = {}
    repairs: Counter[str] = Counter()
    order = raw.get("order")
    note = DocumentNote(
        document_type=label(_first(raw, _TYPE), "document_type", DOCUMENT_TYPE_LENGTH, repairs),
        title=label(raw.get("title"), "document_title", DOCUMENT_NAME_LENGTH, repairs),
        date=day(raw.get("date"), "document_date", repairs, aside),
        order=None if order is None else as_int(order, within(place, "order")),
        metadata={**other_fields(raw, _DOCUMENT, repairs), **aside},
    )
    report.tolerate(place, repairs)
    return note


def _first(raw: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((raw[key] for key in keys if raw.get(key) is not None), None)
