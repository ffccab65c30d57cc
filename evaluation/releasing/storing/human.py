"""Storing the checklists that people made of reference summaries."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.importing.checklists import holds, store_items
from annotation.models import Checklist, Study, Summary
from annotation.records.report import FileReport
from annotation.text.normalise import NormalisedText, storable_text
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.human import HumanChecklistRecord, checked_values
from evaluation.releasing.readers.summaries import place_of

HUMAN = "human"


def store_human(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store the human checklists of a file; each needs its reference summary."""
    references = {
        summary.case.external_id: summary
        for summary in Summary.objects.filter(
            case__study=study, kind=Summary.Kind.REFERENCE
        ).select_related("case")
    }
    by_case: dict[str, list[HumanChecklistRecord]] = {}
    for record in records:
        if isinstance(record, HumanChecklistRecord):
            by_case.setdefault(record.case_id, []).append(record)
    for case_id, items in by_case.items():
        summary = references.get(case_id)
        if summary is None:
            report.problem(
                place_of(case_id),
                "its reference summary is not in the study, so the evidence cannot be checked. "
                "Import the summaries first (--only summaries,human does both).",
            )
            continue
        _store_checklist(study, summary, items, file, report)


def _store_checklist(
    study: Study,
    summary: Summary,
    items: list[HumanChecklistRecord],
    file: FoundFile,
    report: FileReport,
) -> None:
    text = NormalisedText(
        text=summary.text,
        original_sha256=summary.original_sha256,
        removed=tuple(summary.metadata.get("removed", ())),
    )
    checked = {record.item_key: checked_values(record, text, report) for record in items}
    known = Checklist.objects.filter(
        summary=summary, producer_kind=Checklist.Producer.GOLD, producer=HUMAN
    ).first()
    if known is not None:
        if holds(known, checked):
            report.unchanged += sum(map(len, checked.values()))
        else:
            report.problem(
                place_of(summary.case.external_id),
                "a human checklist with other values is stored for this summary. Import this file "
                "into another study.",
            )
        return
    checklist = Checklist.objects.create(
        case=summary.case,
        summary=summary,
        producer_kind=Checklist.Producer.GOLD,
        producer=HUMAN,
        template=study.template,
        metadata={"file": file.name, "file_metadata": dict(items[0].file_metadata)},
    )
    names = {record.item_key: storable_text(record.item_name) for record in items}
    store_items(checklist, checked, names=names)
    report.created += sum(map(len, checked.values()))
