"""Importing a public release: cases and summaries first, then what refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from annotation.importing.checklists import store_items
from annotation.importing.services import Progress, import_file, keep_report
from annotation.kinds.comparison import Side
from annotation.kinds.extraction import Value
from annotation.managing.services import template_of
from annotation.models import (
    Case,
    Checklist,
    Study,
    Summary,
    User,
)
from annotation.records.report import FileReport, ImportReport
from annotation.text.normalise import NormalisedText
from evaluation.releasing.readers.discover import FileKind, FoundFile, discover
from evaluation.releasing.readers.family import Reader, readers, reason_to_skip
from evaluation.releasing.readers.human import HumanChecklistRecord, checked_values
from evaluation.releasing.readers.summaries import (
    CaseRecord,
    SummaryRecord,
    case_differences,
    place_of,
    reference_conflict,
)

HUMAN = "human"


def import_release(
    folder: Path,
    study: Study,
    *,
    only: Iterable[str] | None = None,
    accept_partial: bool = False,
    actor: User | None = None,
    progress: Progress = lambda done, total: None,
) -> ImportReport:
    """Import a release folder or any part of it.

    Each file is stored wholly or not at all; files without a reader are reported as skipped.
    Raises ``InvalidInput`` for an unknown word in ``only``, ``UnreadableFile`` when there is
    nothing at ``folder``.
    """
    template = template_of(study)

    files = discover(folder, only)
    family = readers(template.key_for)
    report = ImportReport()
    for done, file in enumerate(files):
        file_report = FileReport(file.name)
        report.files.append(file_report)
        reader = family.get(file.kind)
        if reader is None or file.refusal:
            file_report.skip(reason_to_skip(file))
        else:
            store = _storing(study, file, reader, file_report)
            import_file(study, file_report, store, accept_partial=accept_partial)
        progress(done + 1, len(files))
    keep_report(study, report, source=str(folder), kind="release", actor=actor)
    return report


def _storing(
    study: Study, file: FoundFile, reader: Reader, report: FileReport
) -> Callable[[], None]:
    def store() -> None:
        records = reader.read(file.path, report)
        if file.kind is FileKind.HUMAN_CHECKLIST:
            _store_human(study, records, file, report)
        else:
            _store_summaries(study, records, file, report)

    return store


def _store_summaries(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    cases = {case.external_id: case for case in study.cases.all()}
    stored = {
        (summary.case.external_id, summary.producer): summary
        for summary in Summary.objects.filter(case__study=study)
        .select_related("case")
        .defer("text")
    }
    for record in records:
        if isinstance(record, CaseRecord):
            _store_case(study, record, cases, report)
        elif isinstance(record, SummaryRecord):
            _store_summary(study, record, cases, stored, file, report)


def _store_case(
    study: Study, record: CaseRecord, cases: dict[str, Case], report: FileReport
) -> None:
    case = cases.get(record.case_id)
    if case is None:
        case = Case(study=study, external_id=record.case_id)
        report.created += 1
    elif _is_bare(case):
        # Known by its id alone until now: a task or a model summary came first.
        report.created += 1
    else:
        differences = case_differences(_case_record(case), record)
        if differences:
            report.repairs.update({f"case_{name}_differs": 1 for name in differences})
        report.unchanged += 1
        return
    case.filing_date = record.filing_date
    case.case_type = record.case_type
    case.token_count = record.token_count
    case.length_bin = record.length_bin or ""
    case.metadata = dict(record.metadata)
    case.save()
    cases[record.case_id] = case


def _is_bare(case: Case) -> bool:
    return not (case.filing_date or case.case_type or case.token_count or case.length_bin)


def _case_record(case: Case) -> CaseRecord:
    return CaseRecord(
        case_id=case.external_id,
        filing_date=case.filing_date,
        case_type=case.case_type,
        token_count=case.token_count,
        length_bin=case.length_bin or None,
    )


def _store_summary(
    study: Study,
    record: SummaryRecord,
    cases: dict[str, Case],
    stored: dict[tuple[str, str], Summary],
    file: FoundFile,
    report: FileReport,
) -> None:
    reference = record.side is Side.REFERENCE
    producer = "reference" if reference else record.producer
    known = stored.get((record.case_id, producer))
    if known is not None:
        conflict = reference_conflict(
            record.case_id,
            here=record,
            file=file.name,
            stored_sha256=known.original_sha256,
            stored_file=str(known.metadata.get("file", "an earlier import")),
        )
        if conflict is not None:
            report.problem(conflict.place, conflict.message)
        else:
            report.unchanged += 1
        return
    case = cases.get(record.case_id)
    if case is None:
        case = cases[record.case_id] = Case.objects.create(study=study, external_id=record.case_id)
    stored[record.case_id, producer] = Summary.objects.create(
        case=case,
        kind=Summary.Kind.REFERENCE if reference else Summary.Kind.MODEL,
        producer=producer,
        text=record.text,
        original_sha256=record.original_sha256,
        word_count=len(record.text.split()),
        metadata={**record.metadata, "removed": list(record.removed)},
    )
    report.created += 1


def _store_human(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
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
        if _stored_values(known) == checked:
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
        metadata={"file": file.name},
    )
    store_items(checklist, checked)
    report.created += sum(map(len, checked.values()))


def _stored_values(checklist: Checklist) -> dict[str, list[Value]]:
    items = checklist.items.prefetch_related("values__evidence")
    return {
        item.item_key: [
            Value.model_validate(
                {
                    "text": value.text,
                    "evidence": [
                        {"start": e.start, "end": e.end, "quote": e.quote}
                        for e in sorted(value.evidence.all(), key=lambda e: e.position)
                    ],
                }
            )
            for value in sorted(item.values.all(), key=lambda v: v.position)
        ]
        for item in items
    }
