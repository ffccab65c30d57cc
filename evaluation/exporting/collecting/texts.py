"""The study itself, its people, its texts, and what was extracted from them."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Prefetch

from annotation.errors import Refused
from annotation.models import (
    Answer,
    Checklist,
    ChecklistVersion,
    Evidence,
    SourceDocument,
    Summary,
)
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Row, moment_text
from evaluation.exporting.collecting.common import (
    FEW,
    Source,
    day_or_none,
    producer_of,
    require_right,
    template_ref,
)
from evaluation.exporting.reading import each, sorted_ids
from evaluation.exporting.rows import Quote


class TextRows:
    """Rows of everything that annotators and judges are asked about."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def study(self) -> Iterator[Row]:
        study = self.source.study
        yield bundle.StudyRow(
            name=study.name,
            description=study.description,
            seed=study.seed,
            time_zone=study.time_zone,
            is_synthetic=study.is_synthetic,
            template=template_ref(study.template),
        )

    def templates(self) -> Iterator[Row]:
        answers = Answer.objects.filter(assignment__task__task_set__study=self.source.study)
        checklists = Checklist.objects.filter(case__study=self.source.study)
        used = {
            self.source.study.template_id,
            *answers.order_by().values_list("template", flat=True).distinct(),
            *checklists.order_by().values_list("template", flat=True).distinct(),
        }
        versions = ChecklistVersion.objects.filter(pk__in=used)
        for template in each(versions, sorted_ids(versions, "key", "version")):
            yield bundle.TemplateRow(
                key=template.key,
                version=template.version,
                content_hash=template.content_hash,
                content=template.content,
            )

    def guidelines(self) -> Iterator[Row]:
        for guideline in self.source.study.guidelines.order_by("version"):
            yield bundle.GuidelineRow(
                version=guideline.version,
                text=guideline.text,
                created_at=moment_text(guideline.created_at),
            )

    def members(self) -> Iterator[Row]:
        members = self.source.study.memberships.all()
        for member in each(members, sorted_ids(members, "pseudonym")):
            yield bundle.MemberRow.model_validate(member.to_json())

    def cases(self) -> Iterator[Row]:
        cases = self.source.study.cases.all()
        for case in each(cases, sorted_ids(cases, "external_id")):
            yield bundle.CaseRow(
                case=case.external_id,
                title=case.title,
                filing_date=day_or_none(case.filing_date),
                case_type=case.case_type,
                token_count=case.token_count,
                length_bin=case.length_bin,
                metadata=case.metadata,
                created_at=moment_text(case.created_at),
            )

    def documents(self) -> Iterator[Row]:
        documents = SourceDocument.objects.filter(case__study=self.source.study).select_related(
            "case"
        )
        for document in each(documents, sorted_ids(documents, "case__external_id", "position"), 1):
            yield bundle.DocumentRow(
                case=document.case.external_id,
                name=document.name,
                document_type=document.document_type,
                date=day_or_none(document.date),
                position=document.position,
                text=document.text,
                original_sha256=document.original_sha256,
                token_count=document.token_count,
                metadata=document.metadata,
            )

    def summaries(self) -> Iterator[Row]:
        summaries = Summary.objects.filter(case__study=self.source.study).select_related("case")
        ids = sorted_ids(summaries, "case__external_id", "producer")
        for summary in each(summaries, ids, FEW):
            yield bundle.SummaryRow(
                case=summary.case.external_id,
                producer=summary.producer,
                kind=summary.kind,
                text=summary.text,
                original_sha256=summary.original_sha256,
                word_count=summary.word_count,
                kept_share=summary.kept_share,
                metadata=summary.metadata,
                created_at=moment_text(summary.created_at),
            )

    def checklists(self) -> Iterator[Row]:
        checklists = (
            Checklist.objects.filter(case__study=self.source.study)
            .select_related("case", "template", "summary")
            .defer("summary__text", "template__content", "template__source")
            .prefetch_related(
                Prefetch(
                    "items__values__evidence",
                    Evidence.objects.select_related("summary", "document").defer(
                        "summary__text", "document__text"
                    ),
                )
            )
        )
        names = checklists.select_related(None).prefetch_related(None).defer(None)
        found = [
            (
                (case, summary or "", kind, self._producer(kind, producer), method),
                pk,
            )
            for pk, case, summary, kind, producer, method in names.values_list(
                "pk",
                "case__external_id",
                "summary__producer",
                "producer_kind",
                "producer",
                "method",
            )
        ]
        for checklist in each(checklists, [pk for _, pk in sorted(found)], FEW):
            yield self._checklist(checklist)

    def _producer(self, kind: str, producer: str) -> str:
        return producer_of(self.source, kind, producer)

    def _checklist(self, checklist: Checklist) -> Row:
        return bundle.ChecklistRow(
            case=checklist.case.external_id,
            summary=checklist.summary.producer if checklist.summary else None,
            producer_kind=checklist.producer_kind,
            producer=self._producer(checklist.producer_kind, checklist.producer),
            method=checklist.method,
            template=template_ref(checklist.template),
            metadata=checklist.metadata,
            created_at=moment_text(checklist.created_at),
            items=[
                bundle.ItemRow(
                    item=item.item_key,
                    state=item.state,
                    metadata=item.metadata,
                    values=[
                        bundle.ValueRow(
                            position=value.position,
                            text=value.text,
                            metadata=value.metadata,
                            evidence=[
                                self._evidence(checklist, item.item_key, value.position, evidence)
                                for evidence in sorted(
                                    value.evidence.all(), key=lambda e: e.position
                                )
                            ],
                        )
                        for value in sorted(item.values.all(), key=lambda v: v.position)
                    ],
                )
                for item in sorted(checklist.items.all(), key=lambda item: item.item_key)
            ],
        )

    def _evidence(
        self, checklist: Checklist, item: str, value: int, evidence: Evidence
    ) -> bundle.EvidenceRow:
        row = f"checklists.jsonl: {checklist}, {item}, value {value + 1}"
        source = evidence.summary or evidence.document
        if source is not None and source.case_id != checklist.case_id:
            raise Refused(f"{row}: its evidence is in a text of another case ({source}).")
        if evidence.start is not None and evidence.end is not None:
            if evidence.summary_id is not None:
                text = self.source.texts.summary(evidence.summary_id)
            elif evidence.document_id is not None:
                text = self.source.texts.document(evidence.document_id)
            else:
                raise Refused(f"{row}: its evidence has offsets and names no text.")
            quote = Quote("evidence", evidence.start, evidence.end, evidence.quote)
            require_right(row, [quote], text)
        return bundle.EvidenceRow(
            position=evidence.position,
            summary=evidence.summary.producer if evidence.summary else None,
            document=evidence.document.name if evidence.document else None,
            start=evidence.start,
            end=evidence.end,
            quote=evidence.quote,
            found=evidence.found,
            source_name=evidence.source_name,
            location=evidence.location,
        )
