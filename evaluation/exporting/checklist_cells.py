"""Checklists and the verdicts on them as rows of tables. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from annotation.kinds import extraction
from annotation.text.csv_text import Cell
from evaluation.exporting.bundle import (
    FOUND,
    NOT_FOUND,
    NOT_SOUGHT,
    ChecklistRow,
    ItemRow,
    ItemVerdictRow,
)
from evaluation.exporting.rows import Given, compact

_OF = (
    "source", "case", "summary", "producer", "method", "round", "version", "task", "item", "state",
    "value_number", "value",
)  # fmt: skip
VALUES_HEADER = (*_OF, "quotes", "exact", "normalised", "fuzzy", "not_found", "not_sought")
"""Columns of ``values.csv``: a row a value, and one an item that has none."""

_NO_VALUE: list[Cell] = [None] * (len(VALUES_HEADER) - _OF.index("value_number"))

EVIDENCE_HEADER = (*_OF, "document", "start", "end", "quote", "found", "source_name", "location")
"""Columns of ``evidence.csv``: a row a quote, offsets in code points, half-open. ``summary`` is
what was read, ``document`` where the quote is when documents were.
"""

VERDICTS_HEADER = (
    "case", "comparer", "model", "extractor", "method", "item", "status", "orientation",
    "first_side", "form", "relation", "pairs", "only_model", "only_reference", "n_model",
    "n_reference", "reason", "repairs", "raw",
)  # fmt: skip
"""Columns of ``item_verdicts.csv``: a row a verdict, positions from 0."""


def values_of(row: ChecklistRow) -> Iterator[list[Cell]]:
    """The values of a stored checklist; an item without values has a row without a value."""
    for item in row.items:
        for value in item.values:
            found = Counter(quote.found for quote in value.evidence)
            yield [*_stored(row, item), value.position + 1, value.text, *_counts(found)]
        if not item.values:
            yield [*_stored(row, item), *_NO_VALUE]


def evidence_of(row: ChecklistRow) -> Iterator[list[Cell]]:
    """The quotes of a stored checklist."""
    for item in row.items:
        for value in item.values:
            for quote in value.evidence:
                yield [
                    *_stored(row, item), value.position + 1, value.text, quote.document,
                    quote.start, quote.end, quote.quote, quote.found, quote.source_name,
                    quote.location,
                ]  # fmt: skip


def _stored(row: ChecklistRow, item: ItemRow) -> list[Cell]:
    return [
        row.producer_kind, row.case, row.summary, row.producer, row.method, None, None, None,
        item.item, item.state,
    ]  # fmt: skip


def answered_values(given: Given) -> Iterator[list[Cell]]:
    """The values of an extraction answer; none for what is no such answer."""
    for key, item in _items(given):
        for number, value in enumerate(item.values, 1):
            found = Counter(exact=len(value.evidence))
            yield [*_answered(given, key, item), number, value.text, *_counts(found)]
        if not item.values:
            yield [*_answered(given, key, item), *_NO_VALUE]


def answered_evidence(given: Given) -> Iterator[list[Cell]]:
    """The quotes of an extraction answer; none for what is no such answer."""
    for key, item in _items(given):
        for number, value in enumerate(item.values, 1):
            for span in value.evidence:
                yield [
                    *_answered(given, key, item), number, value.text, None, span.start, span.end,
                    span.quote, "exact", None, None,
                ]  # fmt: skip


def _items(given: Given) -> Iterator[tuple[str, extraction.ItemValues]]:
    if given.kind == "extraction" and given.version is not None and given.payload is not None:
        yield from extraction.parse_answer(given.payload).sorted_items


def _answered(given: Given, key: str, item: extraction.ItemValues) -> list[Cell]:
    return [
        "answer", given.case, given.summary, given.annotator, None, given.round, given.version,
        given.task, key, item.state,
    ]  # fmt: skip


def _counts(found: Counter[str]) -> list[Cell]:
    return [found.total(), *(found[name] for name in (*FOUND, NOT_FOUND, NOT_SOUGHT))]


def verdict_cells(row: ItemVerdictRow) -> list[Cell]:
    """One row of ``item_verdicts.csv``. Without an answer its cells are empty, never 0."""
    answer = row.payload or {}
    lists = ("pairs", "only_model", "only_reference")
    return [
        row.case, row.comparer, row.model, row.extractor, row.method, row.item, row.status,
        row.orientation, row.first_side, row.form, answer.get("relation"),
        *(compact(answer[name]) if name in answer else None for name in lists),
        row.n_model, row.n_reference, row.reason, compact(row.repairs), compact(row.raw),
    ]  # fmt: skip
