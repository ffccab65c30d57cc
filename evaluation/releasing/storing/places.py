"""Where the evidence of a checklist is looked for: in its summary, or in documents by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from annotation.checklists.names import normalise_name
from annotation.errors import InvalidInput
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
    """The documents of a case that are in the study, by the names that a model gives them.

    Names are compared without case, punctuation and blanks; one that two documents share counts
    only as it is written.
    """

    def __init__(self, documents: Mapping[str, tuple[int, str]]) -> None:
        """``documents``: name -> id and hash of the text."""
        self._exact = dict(documents)
        self._loose: dict[str, tuple[int, str] | None] = {}
        for name, document in documents.items():
            loose = normalise_name(name)
            self._loose[loose] = None if loose in self._loose else document

    def find(self, quote: FileQuote, report: FileReport) -> Placed:
        """Looked for in the document that it names; not at all when that is not here."""
        name = quote.source_name
        document = self._exact.get(name) or self._loose.get(normalise_name(name))
        if document is None or not quote.text.strip():
            report.found["evidence_not_sought"] += 1
            return Placed(quote)
        index = _document_index(*document)
        alignment = index.find(quote.text)
        _count(alignment, report)
        return Placed(quote, alignment, index.text, document_id=document[0])


def documents_of(cases: list[Case]) -> dict[int, InDocuments]:
    """By the id of the case; one query."""
    found: dict[int, dict[str, tuple[int, str]]] = {case.pk: {} for case in cases}
    rows = SourceDocument.objects.filter(case__in=cases)
    for case_id, name, pk, sha256 in rows.values_list("case_id", "name", "pk", "original_sha256"):
        found[case_id][name] = (pk, sha256)
    return {case_id: InDocuments(documents) for case_id, documents in found.items()}


@lru_cache(maxsize=DOCUMENTS_KEPT)
def _document_index(pk: int, sha256: str) -> QuoteIndex:
    """Texts never change: the same id and hash are the same text, also in the next file."""
    del sha256
    return QuoteIndex(SourceDocument.objects.values_list("text", flat=True).get(pk=pk))


def _count(alignment: Alignment, report: FileReport) -> None:
    report.found[f"evidence_{alignment.kind}"] += 1
    if alignment.occurrences > 1:
        report.found["evidence_several_times"] += 1
