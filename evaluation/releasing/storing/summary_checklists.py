"""Storing the checklists that a model extracted from summaries."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Checklist, Study, Summary
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.extracted import ExtractedChecklist
from evaluation.releasing.readers.summaries import REFERENCE, place_of
from evaluation.releasing.storing.extracted import Wanted, batches, store_checklists
from evaluation.releasing.storing.places import InSummary


def store_summary_checklists(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store the checklists of a file, the evidence of each looked for in its summary.

    A checklist whose summary is not in the study is a problem: its evidence could not be checked.
    """
    checklists = (record for record in records if isinstance(record, ExtractedChecklist))
    for batch in batches(checklists):
        about = batch[0].about
        summaries = {
            summary.case.external_id: summary
            for summary in Summary.objects.filter(
                case__study=study,
                case__external_id__in=[record.case_id for record in batch],
                producer=about,
            ).select_related("case")
        }
        wanted: list[Wanted] = []
        for record in batch:
            summary = summaries.get(record.case_id)
            if summary is None:
                whose = "reference summary" if about == REFERENCE else f"summary by {about}"
                report.problem(
                    place_of(record.case_id),
                    f"its {whose} is not in the study, so the evidence cannot be looked for. "
                    "Import the summaries first (--only summaries,checklists does both).",
                )
            else:
                wanted.append(Wanted(record, summary.case, summary, InSummary(summary)))
        if wanted:
            store_checklists(study, wanted, Checklist.Producer.JUDGE, file, report)
