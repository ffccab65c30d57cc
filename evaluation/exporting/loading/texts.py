"""Storing the study itself, its people, its texts, and what was extracted from them."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.hashers import make_password
from django.utils.text import slugify

from annotation.checklists.schema import Template
from annotation.errors import Conflict
from annotation.managing.services import add_member, store_template
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    ChecklistVersion,
    Evidence,
    Guideline,
    SourceDocument,
    Summary,
    User,
)
from evaluation.exporting.bundle import (
    CaseRow,
    ChecklistRow,
    DocumentRow,
    GuidelineRow,
    MemberRow,
    StudyRow,
    SummaryRow,
    TemplateRow,
    moment_of,
)
from evaluation.exporting.loading.common import Target, batches, day_if, found
from evaluation.exporting.loading.writing import create

FEW = 20
USERNAME_LENGTH = 150


def store_templates(target: Target, rows: Iterator[TemplateRow]) -> None:
    """Raises ``Conflict`` when a version is known here with another content."""
    for row in rows:
        stored = store_template(Template.from_json(row.content), actor=target.actor)
        target.templates[row.key, row.version] = stored.pk


def store_study(target: Target, rows: Iterator[StudyRow]) -> None:
    """The study takes over everything but its address. Its template is stored already."""
    for row in rows:
        study = target.study
        study.name = row.name
        study.description = row.description
        study.seed = row.seed
        study.time_zone = row.time_zone
        study.is_synthetic = row.is_synthetic
        template = found(target.templates, (row.template.key, row.template.version))
        study.template = ChecklistVersion.objects.get(pk=template)
        study.save()


def store_guidelines(target: Target, rows: Iterator[GuidelineRow]) -> None:
    read = list(rows)
    made = create(
        Guideline,
        [Guideline(study=target.study, version=row.version, text=row.text) for row in read],
        created_at=[moment_of(row.created_at) for row in read],
    )
    target.guidelines.update((guideline.version, guideline.pk) for guideline in made)


def store_members(target: Target, rows: Iterator[MemberRow]) -> None:
    """Members known here by the same pseudonym keep their accounts; for the others, accounts are
    made that nobody can log in to.

    Raises ``Conflict`` when a known pseudonym has another role.
    """
    known = {m.pseudonym: m for m in target.study.memberships.all()}
    for row in rows:
        member = known.get(row.pseudonym)
        if member is not None and member.role != row.role:
            raise Conflict(
                f"{row.pseudonym} is {member.get_role_display().lower()} in {target.study.slug} "
                f"and {row.role} in the bundle. Import into another study."
            )
        if member is None:
            user = _placeholder(f"{target.study.slug}-{slugify(row.pseudonym)}")
            member = add_member(
                target.study, user, row.role, pseudonym=row.pseudonym, actor=target.actor
            )
        target.members[row.pseudonym] = member.user_id


def _placeholder(name: str) -> User:
    stem = name.rstrip("-")[: USERNAME_LENGTH - 6]
    taken = set(User.objects.filter(username__startswith=stem).values_list("username", flat=True))
    username = next(
        name
        for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3)))
        if name not in taken
    )
    return User.objects.create(username=username, is_active=False, password=make_password(None))


def store_cases(target: Target, rows: Iterator[CaseRow]) -> None:
    for batch in batches(rows):
        made = create(
            Case,
            [
                Case(
                    study=target.study,
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


def store_documents(target: Target, rows: Iterator[DocumentRow]) -> None:
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
        target.documents[row.identity()] = create(SourceDocument, [document])[0].pk


def store_summaries(target: Target, rows: Iterator[SummaryRow]) -> None:
    for batch in batches(rows, FEW):
        made = create(
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


def store_checklists(target: Target, rows: Iterator[ChecklistRow]) -> None:
    for batch in batches(rows, FEW):
        made = create(
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
        _store_items(target, list(zip(batch, made, strict=True)))


def _summary(target: Target, case: str, producer: str | None) -> int | None:
    return None if producer is None else found(target.summaries, (case, producer))


def _store_items(target: Target, stored: list[tuple[ChecklistRow, Checklist]]) -> None:
    pairs = [(row.case, checklist, item) for row, checklist in stored for item in row.items]
    items = create(
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
    values = create(
        ChecklistValue,
        [
            ChecklistValue(
                item_id=item, position=value.position, text=value.text, metadata=value.metadata
            )
            for _, item, value in found_values
        ],
    )
    create(
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
