"""What is in a study, to be looked at: cases, and the checklists that people and models filled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Length

from annotation.checklists.schema import Group, Template
from annotation.errors import NotFound
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    SourceDocument,
    Study,
    Summary,
)
from annotation.text.spans import Span, cut

SORTS = {
    "id": ("Case", "external_id"),
    "title": ("Title", "title"),
    "filed": ("Filed", "filing_date"),
    "type": ("Type", "case_type"),
    "tokens": ("Tokens", "token_count"),
    "length": ("Length", "length_bin"),
    "documents": ("Documents", "documents_n"),
    "summaries": ("Summaries", "summaries_n"),
    "checklists": ("Checklists", "checklists_n"),
}
NUMBERS = frozenset({"tokens", "documents", "summaries", "checklists"})


@dataclass(frozen=True)
class CaseFilter:
    """Which cases are asked for; what is empty does not filter.

    ``q`` looks into ids, titles and types. ``sort`` is a key of ``SORTS``, with ``-`` descending;
    anything else stands for the ids.
    """

    q: str = ""
    case_type: str = ""
    length_bin: str = ""
    sort: str = ""


@dataclass(frozen=True)
class Column:
    """A heading that sorts by ``turn``; ``state`` is the value of aria-sort, "" if unsorted."""

    label: str
    turn: str
    state: str
    is_number: bool


def columns(sort: str) -> list[Column]:
    """The headings of the list; the one in force turns round, the others begin upwards."""
    key = sort.removeprefix("-")
    key = key if key in SORTS else "id"
    down = sort == f"-{key}"
    return [
        Column(
            label=label,
            turn=f"-{name}" if name == key and not down else name,
            state="" if name != key else "descending" if down else "ascending",
            is_number=name in NUMBERS,
        )
        for name, (label, _) in SORTS.items()
    ]


def length_order(length_bin: str) -> tuple[int, str]:
    """To sort bins by: 32K before 128K before 1M; those that name no number first."""
    digits = length_bin.rstrip("+KkMm")
    scale = {"K": 1_000, "M": 1_000_000}.get(length_bin.rstrip("+")[-1:].upper(), 1)
    is_number = digits.isascii() and digits.isdigit()
    return (int(digits) * scale if is_number else 0, length_bin)


def cases_in(study: Study, wanted: CaseFilter) -> QuerySet[Case]:
    """The cases with their numbers of ``documents_n``, ``summaries_n`` and ``checklists_n``.

    Each number is counted by itself: joining the three would multiply them. What is not known
    stands last, whichever way they are sorted.
    """
    search = wanted.q
    found = study.cases.annotate(
        id_length=Length("external_id"),
        documents_n=_number(SourceDocument.objects.filter(case=OuterRef("pk"))),
        summaries_n=_number(Summary.objects.filter(case=OuterRef("pk"))),
        checklists_n=_number(Checklist.objects.filter(case=OuterRef("pk"))),
    )
    if search:
        found = found.filter(
            Q(external_id__icontains=search)
            | Q(title__icontains=search)
            | Q(case_type__icontains=search)
        )
    if wanted.case_type:
        found = found.filter(case_type=wanted.case_type)
    if wanted.length_bin:
        found = found.filter(length_bin=wanted.length_bin)
    key = wanted.sort.removeprefix("-")
    down = wanted.sort.startswith("-")
    # Ids are mostly numbers: 999 before 1001.
    ids = ("id_length", "external_id")
    if key not in SORTS or key == "id":
        backwards = down and key == "id"
        return found.order_by(*(f"-{name}" if backwards else name for name in ids))
    column = F(SORTS[key][1])
    return found.order_by(
        column.desc(nulls_last=True) if down else column.asc(nulls_last=True), *ids
    )


CASE_COLUMNS = (
    "case", "title", "filed", "type", "tokens", "length", "documents", "summaries", "checklists",
)  # fmt: skip


def case_table(cases: Iterable[Case]) -> list[list[str | int | None]]:
    """A row of ``CASE_COLUMNS`` for each of the cases that :func:`cases_in` gave."""
    return [
        [
            case.external_id,
            case.title,
            case.filing_date.isoformat() if case.filing_date else None,
            case.case_type,
            case.token_count,
            case.length_bin,
            case.documents_n,  # type: ignore[attr-defined]
            case.summaries_n,  # type: ignore[attr-defined]
            case.checklists_n,  # type: ignore[attr-defined]
        ]
        for case in cases
    ]


def _number(rows: QuerySet[SourceDocument] | QuerySet[Summary] | QuerySet[Checklist]) -> Coalesce:
    counted = rows.order_by().values("case").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


@dataclass(frozen=True)
class CasePage:
    """A case with what is known of it; ``checklists`` carry ``values_n``, ``located_n``,
    ``not_found_n`` and ``not_sought_n``.
    """

    case: Case
    documents: list[SourceDocument]
    summaries: list[Summary]
    checklists: list[Checklist]


def case_page(study: Study, pk: int) -> CasePage:
    """Raises ``NotFound`` for a case of another study. Texts are not loaded."""
    case = study.cases.filter(pk=pk).first()
    if case is None:
        raise NotFound(f"{study.slug} has no such case.")
    return CasePage(
        case=case,
        documents=list(case.documents.defer("text").order_by("position")),
        summaries=list(case.summaries.defer("text").order_by("-kind", "producer")),
        checklists=list(
            case.checklists.select_related("summary")
            .defer("summary__text")
            .annotate(
                values_n=Count("items__values", distinct=True),
                located_n=_quotes(Q(items__values__evidence__start__isnull=False)),
                not_found_n=_quotes(Q(items__values__evidence__found=Evidence.Found.NOT_FOUND)),
                not_sought_n=_quotes(Q(items__values__evidence__found=Evidence.Found.NOT_SOUGHT)),
            )
            .order_by("producer_kind", "producer", "method", "pk")
        ),
    )


def _quotes(which: Q) -> Count:
    return Count("items__values__evidence", filter=which, distinct=True)


def document_in(study: Study, pk: int) -> SourceDocument:
    """Raises ``NotFound`` for a document of another study."""
    documents = SourceDocument.objects.filter(case__study=study).select_related("case")
    document = documents.filter(pk=pk).first()
    if document is None:
        raise NotFound(f"{study.slug} has no such document.")
    return document


def summary_in(study: Study, pk: int) -> Summary:
    """Raises ``NotFound`` for a summary of another study."""
    summaries = Summary.objects.filter(case__study=study).select_related("case")
    summary = summaries.filter(pk=pk).first()
    if summary is None:
        raise NotFound(f"{study.slug} has no such summary.")
    return summary


@dataclass(frozen=True)
class ItemView:
    """An item of a checklist in words; ``group`` is None for one that the template lacks."""

    label: str
    group: Group | None
    row: ChecklistItem
    values: list[ChecklistValue]


@dataclass(frozen=True)
class TextPiece:
    """A run of text, and whether evidence covers it."""

    text: str
    covered: bool


@dataclass(frozen=True)
class ChecklistPage:
    """A checklist item by item; ``pieces`` are its summary, empty where documents were read."""

    checklist: Checklist
    items: list[ItemView]
    not_extracted: list[str]
    pieces: list[TextPiece]


def checklist_page(study: Study, pk: int, template: Template) -> ChecklistPage:
    """Items in the order of the template. Raises ``NotFound`` for one of another study."""
    checklist = (
        Checklist.objects.filter(case__study=study, pk=pk).select_related("case", "summary").first()
    )
    if checklist is None:
        raise NotFound(f"{study.slug} has no such checklist.")
    rows = checklist.items.prefetch_related("values__evidence")
    order = {key: place for place, key in enumerate(template.item_keys)}
    views = [
        _item_view(row, template)
        for row in sorted(rows, key=lambda r: (order.get(r.item_key, len(order)), r.item_key))
    ]
    known = {view.row.item_key for view in views}
    text = checklist.summary.text if checklist.summary else ""
    return ChecklistPage(
        checklist=checklist,
        items=views,
        not_extracted=[item.label for item in template.items if item.key not in known],
        pieces=pieces_of(text, _spans(views)),
    )


def _item_view(row: ChecklistItem, template: Template) -> ItemView:
    item = template.item_for(row.item_key)
    return ItemView(
        label=item.label if item else row.item_key,
        group=template.group(item.group) if item else None,
        row=row,
        values=sorted(row.values.all(), key=lambda value: value.position),
    )


def _spans(views: Sequence[ItemView]) -> Iterable[Span]:
    evidence: Iterable[Evidence] = (
        one for view in views for value in view.values for one in value.evidence.all()
    )
    return [(e.start, e.end) for e in evidence if e.start is not None and e.end is not None]


def pieces_of(text: str, spans: Iterable[Span]) -> list[TextPiece]:
    """``text`` cut where evidence begins and ends; overlapping spans are one."""
    return [TextPiece(piece, covered) for piece, (covered,) in cut(text, spans)]
