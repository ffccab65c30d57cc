"""``full_case_data`` of a public release: many cases in one file, each with its documents. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.records.cases.metadata import case_id_of
from annotation.records.cases.record import (
    DOCUMENT_NAME_LENGTH,
    DOCUMENT_TYPE_LENGTH,
    LONGEST_DOCUMENT,
    TITLE_LENGTH,
    CaseDocument,
    CaseHead,
    day,
    label,
    numbered,
    other_fields,
)
from annotation.records.cases.splitter import json_objects
from annotation.records.fields import (
    LENGTH_BIN_LENGTH,
    NAME_LENGTH,
    Misfit,
    as_list,
    as_object,
)
from annotation.records.progress import Progress
from annotation.records.quoting import brief, shown
from annotation.records.report import FileReport
from annotation.text.normalise import NormalisedText, normalise_text, storable_text

# Where the texts of the documents are, the best first, and what is said of each, in lists as long.
_TEXTS = ("case_documents_text", "case_documents", "sources", "documents")
_LISTS = {
    "title": "case_documents_title",
    "doc_type": "case_documents_doc_type",
    "date": "case_documents_date",
    "doc_id": "case_documents_id",
    "token_num": "case_documents_token_num",
}
_REFERENCE = "summary/long"
_CASE_ID = ("case_id", "id")
_TITLE = ("case_name", "title", "name")
_KNOWN = (
    *(*_TEXTS, *_LISTS.values(), *_CASE_ID, *_TITLE, _REFERENCE),
    *("filing_date", "case_type", "total_token_num", "total_length_bin"),
)
# The names by which an object of its own may say the same of a document.
_OBJECT = {
    "text": ("text", "content"),
    "title": ("title", "name", "filename", "file"),
    "doc_type": ("doc_type", "document_type", "type"),
    "date": ("date",),
    "doc_id": ("doc_id", "id"),
    "token_num": ("token_num", "token_count"),
}


@dataclass(frozen=True, slots=True)
class FullCase:
    """One case of the file. ``place`` is how problems name it."""

    place: str
    head: CaseHead
    documents: tuple[CaseDocument, ...]


def read_full_cases(path: Path, report: FileReport, progress: Progress) -> Iterator[FullCase]:
    """Yield the cases of the file at ``path``, in its order; memory is that of the largest case.

    A list of objects, or one object a line. A case that cannot be accepted becomes a problem that
    names it and is not yielded; what was tolerated is counted in ``report.repairs``.
    ``progress(bytes, size)`` is called after each block. Raises ``UnreadableFile``, also after
    cases were yielded, as :func:`json_objects` does.
    """
    seen: set[str] = set()
    for piece, raw in json_objects(path, report, progress):
        repairs: Counter[str] = Counter()
        place = piece.place
        try:
            case = _case(raw, place, repairs)
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
            continue
        if case.head.case_id in seen:
            report.problem(case.place, "is there twice in this file. Take one of the two out.")
            continue
        seen.add(case.head.case_id)
        report.tolerate(case.place, repairs)
        report.found.update(cases=1, documents=len(case.documents))
        yield case


def looks_like_full_cases(beginning: bytes) -> bool:
    """Whether the first bytes of a file are those of a file of cases with documents."""
    start = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith((b"[", b"{")):
        return False
    return any(f'"{key}"'.encode() in beginning for key in (*_TEXTS[:3], *_LISTS.values()))


def _case(raw: dict[str, object], place: str, repairs: Counter[str]) -> FullCase:
    case_id = case_id_of(_first(raw, _CASE_ID), f"{place}, case_id")
    if not case_id:
        raise Misfit(place, 'has no "case_id", which is needed.')
    place = f"case {brief(case_id)}"
    key = _texts_key(raw, place, repairs)
    entries = _entries(raw, key, place)
    titles = [_title(entry, number, repairs) for number, entry in enumerate(entries, start=1)]
    documents = [
        _document(entry, name, title, number, f"{place}, {key}[{number - 1}]", repairs)
        for number, (entry, name, title) in enumerate(
            zip(entries, numbered(titles), titles, strict=True), start=1
        )
    ]
    kept = tuple(document for document in documents if document is not None)
    if len(kept) != len(documents):
        repairs["empty_documents_left_out"] += len(documents) - len(kept)
    if not kept:
        raise Misfit(place, "has no document with a text. Get it again, or take the case out.")
    return FullCase(place, _head(raw, case_id, place, repairs), kept)


def _head(raw: dict[str, object], case_id: str, place: str, repairs: Counter[str]) -> CaseHead:
    aside: dict[str, object] = {}
    if raw.get("total_token_num") is not None:
        # Counted under whatever vocabulary the file's makers used: kept, never mixed with ours.
        aside["total_token_num"] = label(raw["total_token_num"], "token_count", 40, repairs)
    return CaseHead(
        case_id=case_id,
        title=label(_first(raw, _TITLE), "title", TITLE_LENGTH, repairs),
        filing_date=day(raw.get("filing_date"), "filing_date", repairs, aside),
        case_type=label(raw.get("case_type"), "case_type", NAME_LENGTH, repairs),
        length_bin=label(raw.get("total_length_bin"), "length_bin", LENGTH_BIN_LENGTH, repairs),
        reference=_reference(raw.get(_REFERENCE), place, repairs),
        metadata={**other_fields(raw, _KNOWN, repairs), **aside},
    )


def _reference(value: object, place: str, repairs: Counter[str]) -> NormalisedText | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise Misfit(f"{place}, {_REFERENCE}", f"must be a text, and is {shown(value)}.")
    if not value.strip():
        repairs["empty_summaries_left_out"] += 1
        return None
    text = normalise_text(value)
    repairs.update(text.changes)
    return text


def _texts_key(raw: dict[str, object], place: str, repairs: Counter[str]) -> str:
    present = [key for key in _TEXTS if raw.get(key) is not None]
    if not present:
        raise Misfit(place, f"has no documents. They belong into {' or '.join(map(repr, _TEXTS))}.")
    first, *others = present
    # Files say the texts twice, or give the names of the documents under the second key.
    if any(_are_other_texts(raw[first], raw[key]) for key in others):
        repairs["second_list_of_documents_ignored"] += 1
    return first


def _are_other_texts(one: object, other: object) -> bool:
    return one != other and isinstance(other, list) and any(isinstance(e, str) for e in other)


def _entries(raw: dict[str, object], key: str, place: str) -> list[dict[str, object]]:
    """What is said of each document, under the names of ``_OBJECT``."""
    texts = as_list(raw[key], f"{place}, {key}")
    if texts and all(isinstance(text, dict) for text in texts):
        return [
            {name: _first(as_object(entry, ""), keys) for name, keys in _OBJECT.items()}
            | {"fields": other_fields(as_object(entry, ""), _OBJECT_KEYS, Counter())}
            for entry in texts
        ]
    entries: list[dict[str, object]] = [{"text": text} for text in texts]
    for name, list_key in _LISTS.items():
        if raw.get(list_key) is None:
            continue
        values = as_list(raw[list_key], f"{place}, {list_key}")
        if len(values) != len(texts):
            raise Misfit(
                f"{place}, {list_key}",
                f"has {len(values)} entries for {len(texts)} documents, so nobody can say which "
                "belongs to which. Give each document its entry (null if there is none).",
            )
        for entry, value in zip(entries, values, strict=True):
            entry[name] = value
    return entries


_OBJECT_KEYS = tuple(key for keys in _OBJECT.values() for key in keys)


def _title(entry: dict[str, object], number: int, repairs: Counter[str]) -> str:
    title = label(entry.get("title"), "document_title", DOCUMENT_NAME_LENGTH, repairs)
    if title:
        return title
    repairs["document_title_missing"] += 1
    # Not counted again: the type itself is read below.
    return label(entry.get("doc_type"), "", DOCUMENT_NAME_LENGTH, Counter()) or f"Document {number}"


def _document(
    entry: dict[str, object],
    name: str,
    title: str,
    number: int,
    place: str,
    repairs: Counter[str],
) -> CaseDocument | None:
    raw = entry.get("text")
    if raw is None or (isinstance(raw, str) and not raw.strip("\ufeff \t\n\r\f\v")):
        return None
    if not isinstance(raw, str):
        raise Misfit(place, f"must be a text, and is {shown(raw)}.")
    if len(raw) > LONGEST_DOCUMENT:
        raise Misfit(
            place, f"has {len(raw):,} characters, more than {LONGEST_DOCUMENT:,}. Split it."
        )
    text = normalise_text(raw)
    repairs.update(text.changes)
    aside: dict[str, object] = {}
    date = day(entry.get("date"), "document_date", repairs, aside)
    if entry.get("doc_id") is not None:
        aside["doc_id"] = label(entry["doc_id"], "document_id", NAME_LENGTH, repairs)
    if entry.get("token_num") is not None:
        aside["token_num"] = label(entry["token_num"], "token_count", 40, repairs)
    full_title = entry.get("title")
    if isinstance(full_title, str) and storable_text(full_title) != name:
        aside["title"] = storable_text(full_title)[:2_000]
    return CaseDocument(
        name=name,
        position=number,
        text=text,
        document_type=label(entry.get("doc_type"), "document_type", DOCUMENT_TYPE_LENGTH, repairs),
        date=date,
        metadata={**as_object(entry.get("fields", {}), ""), **aside},
    )


def _first(raw: dict[str, object], keys: tuple[str, ...]) -> object:
    return next((raw[key] for key in keys if raw.get(key) is not None), None)
