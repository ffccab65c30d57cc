"""Preparing the texts of a study, and what was extracted from them."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Guideline,
    SourceDocument,
    Summary,
)
from evaluation.exporting.bundle import (
    CaseRow,
    ChecklistRow,
    DocumentRow,
    GuidelineRow,
    SummaryRow,
    moment_of,
)
from evaluation.exporting.loading.common import STUDY, Target, batches, day_if, found

FEW = 20
USERNAME_LENGTH = 150


def prepare_guidelines(target: Target, rows: Iterator[GuidelineRow]) -> None:
    read = list(rows)
    made = target.create(
        Guideline,
        [Guideline(study_id=STUDY, version=row.version, text=row.text) for row in read],
        created_at=[moment_of(row.created_at) for row in read],
    )
    target.guidelines.update((guideline.version, guideline.pk) for guideline in made)


def prepare_cases(target: Target, rows: Iterator[CaseRow]) -> None:
    for batch in batches(rows):
        made = target.create(
            Case,
            [
                Case(
                    study_id=STUDY,
                    external_id=row.case,
                    title=row.title,
                    filing_date=day_if(row.filing_date),
                    case_type=row.case_type,
                    token_count=row.token_count,
                    length_bin=row.length_bin,
                    metadata=row.metadata,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        target.cases.update((case.external_id, case.pk) for case in made)


def prepare_documents(target: Target, rows: Iterator[DocumentRow]) -> None:
    for row in rows:
        document = SourceDocument(
            case_id=found(target.cases, row.case),
            name=row.name,
            document_type=row.document_type,
            date=day_if(row.date),
            position=row.position,
            text=row.text,
            original_sha256=row.original_sha256,
            token_count=row.token_count,
            metadata=row.metadata,
        )
        target.documents[row.identity()] = target.create(SourceDocument, [document])[0].pk


def prepare_summaries(target: Target, rows: Iterator[SummaryRow]) -> None:
    for batch in batches(rows, FEW):
        made = target.create(
            Summary,
            [
                Summary(
                    case_id=found(target.cases, row.case),
                    kind=row.kind,
                    producer=row.producer,
                    text=row.text,
                    original_sha256=row.original_sha256,
                    word_count=row.word_count,
                    kept_share=row.kept_share,
                    metadata=row.metadata,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        keys = (row.identity() for row in batch)
        target.summaries.update(zip(keys, (s.pk for s in made), strict=True))


def prepare_checklists(target: Target, rows: Iterator[ChecklistRow]) -> None:
    for batch in batches(rows, FEW):
        made = target.create(
            Checklist,
            [
                Checklist(
                    case_id=found(target.cases, row.case),
                    summary_id=_summary(target, row.case, row.summary),
                    producer_kind=row.producer_kind,
                    producer=row.producer,
                    method=row.method,
                    template_id=found(target.templates, (row.template.key, row.template.version)),
                    metadata=row.metadata,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        keys = (row.identity() for row in batch)
        target.checklists.update(zip(keys, (c.pk for c in made), strict=True))
        _prepare_items(target, list(zip(batch, made, strict=True)))


def _summary(target: Target, case: str, producer: str | None) -> int | None:
    return None if producer is None else found(target.summaries, (case, producer))


def _prepare_items(target: Target, stored: list[tuple[ChecklistRow, Checklist]]) -> None:
    pairs = [(row.case, checklist, item) for row, checklist in stored for item in row.items]
    items = target.create(
        ChecklistItem,
        [
            ChecklistItem(
                checklist_id=checklist.pk,
                item_key=item.item,
                state=item.state,
                metadata=item.metadata,
            )
            for _, checklist, item in pairs
        ],
    )
    found_values = [
        (case, item.pk, value)
        for item, (case, _, row) in zip(items, pairs, strict=True)
        for value in row.values
    ]
    values = target.create(
        ChecklistValue,
        [
            ChecklistValue(
                item_id=item, position=value.position, text=value.text, metadata=value.metadata
            )
            for _, item, value in found_values
        ],
    )
    target.create(
        Evidence,
        [
            Evidence(
                value_id=value.pk,
                position=quote.position,
                summary_id=_summary(target, case, quote.summary),
                document_id=None
                if quote.document is None
                else found(target.documents, (case, quote.document)),
                start=quote.start,
                end=quote.end,
                quote=quote.quote,
                found=quote.found,
                source_name=quote.source_name,
                location=quote.location,
            )
            for value, (case, _, row) in zip(values, found_values, strict=True)
            for quote in row.evidence
        ],
    )
