"""Storing cases and their summaries."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.kinds.comparison import Side
from annotation.models import Case, Study, Summary
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.summaries import (
    REFERENCE,
    CaseRecord,
    SummaryRecord,
    case_differences,
    place_of,
    reference_conflict,
)


def store_summaries(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store what the readers of summaries yield."""
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
    elif _is_bare(case) and _says_more(record, case):
        # Known by its id alone until now: a task or a model summary came first.
        report.created += 1
    else:
        differences = case_differences(_case_record(case), record)
        if differences:
            kinds = {f"case_{name}_differs": 1 for name in differences}
            report.tolerate(place_of(record.case_id), kinds)
        report.unchanged += 1
        return
    case.filing_date = record.filing_date
    case.case_type = record.case_type
    case.token_count = record.token_count
    case.length_bin = record.length_bin or ""
    case.metadata = {**case.metadata, **record.metadata}
    case.save()
    cases[record.case_id] = case


def _is_bare(case: Case) -> bool:
    return not (case.filing_date or case.case_type or case.token_count or case.length_bin)


def _says_more(record: CaseRecord, case: Case) -> bool:
    told = {**case.metadata, **record.metadata} != case.metadata
    return told or bool(case_differences(_case_record(case), record))


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
    producer = REFERENCE if reference else record.producer
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
