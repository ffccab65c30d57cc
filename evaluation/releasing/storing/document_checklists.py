"""Storing the checklists that a model extracted from the documents of a case."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.importing.tasks import cases_called
from annotation.models import Checklist, Study
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.extracted import ExtractedChecklist
from evaluation.releasing.storing.extracted import Wanted, batches, store_checklists
from evaluation.releasing.storing.places import documents_of


def store_document_checklists(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store the checklists of a file; evidence is looked for in the documents that are here.

    A case that is not known yet is made, known by its id alone.
    """
    checklists = (record for record in records if isinstance(record, ExtractedChecklist))
    for batch in batches(checklists):
        store_from_documents(study, batch, file, report)


def store_from_documents(
    study: Study, records: list[ExtractedChecklist], file: FoundFile, report: FileReport
) -> list[Checklist]:
    """The stored checklists of ``records``, which are of one producer and different cases."""
    cases = cases_called(study, {record.case_id for record in records}, report)
    places = documents_of(list(cases.values()))
    wanted = [
        Wanted(record, cases[record.case_id], None, places[cases[record.case_id].pk])
        for record in records
    ]
    return store_checklists(study, wanted, Checklist.Producer.AGENT, file, report)
