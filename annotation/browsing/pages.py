"""What is in a study, to be looked at: cases, and the checklists that people and models filled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

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
from annotation.text.spans import Span, united


def cases_in(study: Study, *, search: str = "") -> QuerySet[Case]:
    """The cases with their numbers of ``documents_n``, ``summaries_n`` and ``checklists_n``.

    ``search`` looks into ids, titles and types. Each number is counted by itself: joining the three
    would multiply them.
    """
    found = study.cases.annotate(
        documents_n=_number(SourceDocument.objects.filter(case=OuterRef("pk"))),
        summaries_n=_number(Summary.objects.filter(case=OuterRef("pk"))),
        checklists_n=_number(Checklist.objects.filter(case=OuterRef("pk"))),
    ).order_by("external_id")
    if search:
        found = found.filter(
            Q(external_id__icontains=search)
            | Q(title__icontains=search)
            | Q(case_type__icontains=search)
        )
    return found


def _number(rows: QuerySet[SourceDocument] | QuerySet[Summary] | QuerySet[Checklist]) -> Coalesce:
    counted = rows.order_by().values("case").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


@dataclass(frozen=True)
class CasePage:
    """A case with what is known of it; ``checklists`` carry ``values_n`` and ``unlocated_n``."""

    case: Case
    documents: list[SourceDocument]
    summaries: list[Summary]
    checklists: list[Checklist]


def case_page(study: Study, pk: int) -> CasePage:
    """Raises ``NotFound`` for a case of another study. Texts are not loaded."""
    case = study.cases.filter(pk=pk).first()
    if case is None:
        raise NotFound(f"{study.slug} has no such case.")
    nowhere = Q(items__values__evidence__found__in=["not_found", "not_sought"])
    return CasePage(
        case=case,
        documents=list(case.documents.defer("text").order_by("position")),
        summaries=list(case.summaries.defer("text").order_by("-kind", "producer")),
        checklists=list(
            case.checklists.select_related("summary")
            .defer("summary__text")
            .annotate(
                values_n=Count("items__values", distinct=True),
                unlocated_n=Count("items__values__evidence", filter=nowhere, distinct=True),
            )
            .order_by("producer_kind", "producer", "method", "pk")
        ),
    )


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
    areas = united(spans)
    cuts = sorted({0, len(text), *(edge for area in areas for edge in area)})
    starts = {start for start, _ in areas}
    return [TextPiece(text[start:end], start in starts) for start, end in pairwise(cuts)]
