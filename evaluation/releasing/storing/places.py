"""Where the evidence of a checklist is looked for: in its summary, or in documents by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from django.db.models.fields.json import KT

from annotation.errors import InvalidInput
from annotation.importing.evidence import DocumentNames, NamedDocument, goodness
from annotation.models import Case, Evidence, SourceDocument, Summary
from annotation.records.report import FileReport
from annotation.text.alignment import Alignment, Kind, QuoteIndex
from annotation.text.normalise import NormalisedText
from evaluation.releasing.readers.extracted import FileQuote

DOCUMENTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Placed:
    """A quote, and where it stands in which text.

    ``alignment`` is None when nobody could look, because the text is not in the study; ``text`` is
    then empty.
    """

    quote: FileQuote
    alignment: Alignment | None = None
    text: str = ""
    summary: Summary | None = None
    document_id: int | None = None

    @property
    def found(self) -> Evidence.Found:
        """How it was found."""
        if self.alignment is None:
            return Evidence.Found.NOT_SOUGHT
        return Evidence.Found(self.alignment.kind.value)

    @property
    def is_verbatim(self) -> bool:
        """Whether its rows say of the quote all that the file says."""
        if self.alignment is None or not self.alignment.found:
            return True
        spans = self.alignment.spans
        return len(spans) == 1 and self.text[slice(*spans[0])] == self.quote.text

    def rows(self) -> list[Evidence]:
        """A row for each span, or one without offsets. They still lack value and position."""
        spans = self.alignment.spans if self.alignment is not None else ()
        return [
            Evidence(
                summary=self.summary,
                document_id=self.document_id,
                start=start,
                end=end,
                quote=self.quote.text if start is None else self.text[start:end],
                found=self.found,
                source_name=self.quote.source_name,
                location=self.quote.location,
            )
            for start, end in spans or [(None, None)]
        ]


class Place(Protocol):
    """Something in which quotes are looked for."""

    def find(self, quote: FileQuote, report: FileReport) -> Placed:
        """Look for ``quote`` and count in ``report.found`` how it was found."""
        ...


class InSummary:
    """The text of a summary."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._index: QuoteIndex | None = None
        # One quote often supports several values.
        self._known: dict[str, Alignment] = {}

    def find(self, quote: FileQuote, report: FileReport) -> Placed:
        """``evidence_offsets_wrong`` in ``report.repairs`` counts offsets in the file at which
        the text says something else; the quote is then looked for without them."""
        alignment = self._at_offsets(quote, report) or self._aligned(quote.text)
        _count(alignment, report)
        return Placed(quote, alignment, self._summary.text, summary=self._summary)

    def _at_offsets(self, quote: FileQuote, report: FileReport) -> Alignment | None:
        if quote.offsets is None:
            return None
        removed = tuple(self._summary.metadata.get("removed", ()))
        text = NormalisedText(self._summary.text, self._summary.original_sha256, removed)
        try:
            start, end = (text.map_offset(offset) for offset in quote.offsets)
        except InvalidInput:
            start = end = 0
        if start < end and text.text[start:end] == quote.text:
            return Alignment(Kind.EXACT, ((start, end),), 100.0, 1)
        report.repairs["evidence_offsets_wrong"] += 1
        return None

    def _aligned(self, quote: str) -> Alignment:
        if quote not in self._known:
            self._index = self._index or QuoteIndex(self._summary.text)
            self._known[quote] = self._index.find(quote)
        return self._known[quote]


class InDocuments:
    """The documents of a case that are in the study, by the names that a model gives them."""

    def __init__(self, names: DocumentNames, hashes: Mapping[int, str]) -> None:
        """``hashes``: id -> hash of the text of each document."""
        self._names = names
        self._hashes = hashes

    def find(self, quote: FileQuote, report: FileReport) -> Placed:
        """Looked for in the documents that can be meant; not at all when none of them is here."""
        meant = self._names.meant_by(quote.source_name)
        if not meant or not quote.text.strip():
            report.found["evidence_not_sought"] += 1
            return Placed(quote)
        found = [(pk, _document_index(pk, self._hashes[pk])) for pk in meant]
        aligned = [(index.find(quote.text), pk, index.text) for pk, index in found]
        # max() takes the first of equals: the earliest document.
        alignment, best, text = max(aligned, key=lambda one: goodness(one[0]))
        _count(alignment, report)
        # Of several documents that have it nowhere, none is the one.
        document = best if alignment.found or len(meant) == 1 else None
        return Placed(quote, alignment, text, document_id=document)


def documents_of(cases: list[Case]) -> dict[int, InDocuments]:
    """By the id of the case; one query."""
    found: dict[int, list[NamedDocument]] = {case.pk: [] for case in cases}
    hashes: dict[int, str] = {}
    rows = SourceDocument.objects.filter(case__in=cases).order_by("case", "position")
    for case_id, name, title, pk, sha256 in rows.values_list(
        "case_id", "name", KT("metadata__title"), "pk", "original_sha256"
    ):
        found[case_id].append(NamedDocument(pk, name, title or ""))
        hashes[pk] = sha256
    return {
        case_id: InDocuments(DocumentNames(documents), hashes)
        for case_id, documents in found.items()
    }


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _document_index(pk: int, sha256: str) -> QuoteIndex:
    """Texts never change: the same id and hash are the same text, also in the next file."""
    del sha256
    return QuoteIndex(SourceDocument.objects.values_list("text", flat=True).get(pk=pk))


def _count(alignment: Alignment, report: FileReport) -> None:
    report.found[f"evidence_{alignment.kind}"] += 1
    if alignment.occurrences > 1:
        report.found["evidence_several_times"] += 1
