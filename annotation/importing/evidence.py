"""Looking for evidence once the document that it quotes has arrived.

Checklists that were drawn from documents may be in a study before the documents are. Their evidence
then waits as ``not_sought``; what :func:`seek_evidence` makes of it is what an import of the
checklists would have stored if the documents had been there first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from django.db import transaction
from django.db.models.fields.json import KT

from annotation.checklists.names import normalise_name
from annotation.importing.services import BATCH
from annotation.models import Case, ChecklistValue, Evidence, SourceDocument
from annotation.records.progress import Progress, no_progress
from annotation.text.alignment import Alignment, Kind, QuoteIndex

_RANK = {Kind.EXACT: 3, Kind.NORMALISED: 2, Kind.FUZZY: 1, Kind.NOT_FOUND: 0}


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A stored document by its names; ``title`` is empty where it has none besides its name."""

    pk: int
    name: str
    title: str = ""


class DocumentNames:
    """Which documents of a case a producer can mean by a name.

    A name as it is written counts first, then one that is equal without case, punctuation and
    blanks, then a title that is. Titles may be shared: then each of those documents can be meant.
    """

    def __init__(self, documents: Iterable[NamedDocument]) -> None:
        self._exact: dict[str, int] = {}
        self._loose: dict[str, list[int]] = defaultdict(list)
        self._titles: dict[str, list[int]] = defaultdict(list)
        for document in documents:
            self._exact[document.name] = document.pk
            self._loose[normalise_name(document.name)].append(document.pk)
            self._titles[normalise_name(document.title)].append(document.pk)
        self._titles.pop("", None)
        self._loose.pop("", None)

    def meant_by(self, name: str) -> list[int]:
        """The ids of the documents, in the order of the case; none if nobody can say."""
        if name in self._exact:
            return [self._exact[name]]
        loose = normalise_name(name)
        return list(self._loose.get(loose) or self._titles.get(loose) or ())


def document_names(case: Case) -> DocumentNames:
    """Those of the documents of ``case`` that are in the study; one query."""
    rows = case.documents.order_by("position").values_list("pk", "name", KT("metadata__title"))
    return DocumentNames(NamedDocument(pk, name, title or "") for pk, name, title in rows)


@dataclass(slots=True)
class _Found:
    """The best place of a quote so far; ``said`` is what the document says at its spans."""

    alignment: Alignment
    document: int | None
    said: tuple[str, ...]


def seek_evidence(case: Case, progress: Progress = no_progress) -> Counter[str]:
    """Look for the waiting evidence of ``case`` in its documents; how often what was found.

    The kinds are ``evidence_exact``, ``evidence_normalised``, ``evidence_fuzzy``,
    ``evidence_not_found``, and ``evidence_not_sought`` for what goes on waiting: its document is
    still not here, or the quote is blank. A quote with an ellipsis gets a row for each of its
    spans. Doing it again changes nothing. ``progress`` counts documents.
    """
    waiting = list(_waiting(case))
    counts: Counter[str] = Counter()
    if not waiting:
        return counts
    found = _sought(waiting, document_names(case), progress)
    counts["evidence_not_sought"] = len(waiting) - len(found)
    counts.update(f"evidence_{one.alignment.kind}" for one in found.values())
    values = {evidence.value_id for evidence in waiting if evidence.pk in found}
    with transaction.atomic():
        for value in (
            ChecklistValue.objects.select_for_update()
            .filter(pk__in=values)
            .prefetch_related("evidence")
            .iterator(chunk_size=BATCH)
        ):
            _rewrite(value, found)
    return +counts


def _waiting(case: Case) -> Iterable[Evidence]:
    # Evidence of a checklist of a summary waits for the summary, not for documents.
    return Evidence.objects.filter(
        found=Evidence.Found.NOT_SOUGHT,
        value__item__checklist__case=case,
        value__item__checklist__summary=None,
    ).exclude(source_name="")


def _sought(waiting: list[Evidence], names: DocumentNames, progress: Progress) -> dict[int, _Found]:
    """By the id of the evidence. One document is in memory at a time."""
    by_document: dict[int, list[Evidence]] = defaultdict(list)
    for evidence in waiting:
        if evidence.quote.strip():
            for pk in names.meant_by(evidence.source_name):
                by_document[pk].append(evidence)
    found: dict[int, _Found] = {}
    documents = SourceDocument.objects.filter(pk__in=by_document).order_by("position")
    for done, document in enumerate(documents.iterator(chunk_size=1), start=1):
        index = QuoteIndex(document.text)
        aligned: dict[str, Alignment] = {}
        for evidence in by_document[document.pk]:
            quote = evidence.quote
            if quote not in aligned:
                aligned[quote] = index.find(quote)
                progress(done - 1, len(by_document))
            here = aligned[quote]
            best = found.get(evidence.pk)
            if best is None or goodness(here) > goodness(best.alignment):
                said = tuple(document.text[slice(*span)] for span in here.spans)
                # Of several documents that have it nowhere, none is the one.
                alone = here.found or len(names.meant_by(evidence.source_name)) == 1
                found[evidence.pk] = _Found(here, document.pk if alone else None, said)
        progress(done, len(by_document))
    return found


def goodness(alignment: Alignment) -> tuple[int, float]:
    """To sort by: which of two places of one quote is the better."""
    return _RANK[alignment.kind], alignment.score


def _rewrite(value: ChecklistValue, found: dict[int, _Found]) -> None:
    """Put the rows of what was found in the place of those that waited."""
    rows = sorted(value.evidence.all(), key=lambda row: row.position)
    new: list[Evidence] = []
    changed = False
    for row in rows:
        one = found.get(row.pk)
        if one is None:
            new.append(row)
            continue
        row.document_id = one.document
        row.found = Evidence.Found(one.alignment.kind.value)
        if not one.said:
            new.append(row)
            continue
        changed = changed or one.said != (row.quote,)
        for (start, end), quote in zip(one.alignment.spans, one.said, strict=True):
            placed = copy(row)
            placed.start, placed.end, placed.quote = start, end, quote
            new.append(placed)
    if changed and "evidence" not in value.metadata:
        # What the rows no longer say: the quotes as the file had them.
        value.metadata["evidence"] = [
            as_in_file(row.quote, row.source_name, row.location) for row in rows
        ]
        value.save(update_fields=["metadata"])
    value.evidence.all().delete()
    for position, row in enumerate(new):
        row.pk, row.position = None, position
    Evidence.objects.bulk_create(new)


def as_in_file(text: str, source_name: str, location: str) -> object:
    """A quote as files have it: a text, or an object where its place is named."""
    if not (source_name or location):
        return text
    return {"text": text, "source_document": source_name, "location": location}
