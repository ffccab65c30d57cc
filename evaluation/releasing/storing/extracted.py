"""Writing what models extracted: checklists, their items, values and evidence.

Shared by the storers of summary checklists, document checklists and agent runs. A batch of cases
takes the same number of queries whatever it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from django.db.models.fields.json import KT

from annotation.importing.evidence import as_in_file
from annotation.importing.services import BATCH
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    Study,
    Summary,
)
from annotation.records.report import FileReport
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.extracted import (
    ExtractedChecklist,
    ExtractedItem,
    ExtractedValue,
)
from evaluation.releasing.readers.summaries import place_of
from evaluation.releasing.storing.places import Place, Placed

CASES = 10
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A checklist to be stored, and where its evidence is to be looked for.

    ``summary`` is what it was extracted from, None for the documents of the case.
    """

    record: ExtractedChecklist
    case: Case
    summary: Summary | None
    place: Place


def batches(records: Iterable[T], size: int = CASES) -> Iterator[list[T]]:
    """``records`` a few at a time."""
    iterator = iter(records)
    while batch := list(islice(iterator, size)):
        yield batch


def store_checklists(
    study: Study,
    wanted: list[Wanted],
    producer_kind: Checklist.Producer,
    file: FoundFile,
    report: FileReport,
) -> list[Checklist]:
    """Store the items that are not stored yet; the checklists, in the order of ``wanted``.

    Several files may fill one checklist. An item that is there with other values is a problem.
    The report counts values, and items without any, as created or unchanged; evidence by how it
    was found in ``found``: ``evidence_exact``, ``evidence_normalised``, ``evidence_fuzzy``,
    ``evidence_not_found``, ``evidence_not_sought``, and of the found ones those that stand
    there ``evidence_several_times``. All checklists are of one producer and method, and of
    different cases.
    """
    stored = _checklists(study, wanted, producer_kind, file)
    known = _stored_items(stored)
    new: list[tuple[ChecklistItem, ExtractedItem, Place]] = []
    for one, checklist in zip(wanted, stored, strict=True):
        for item in one.record.items:
            sha256 = item.sha256
            if (checklist.pk, item.item_key) not in known:
                new.append((_item_row(checklist, item, sha256), item, one.place))
            elif known[checklist.pk, item.item_key] == sha256:
                report.unchanged += item.rows
            else:
                report.problem(
                    f"{place_of(one.record.case_id)}, {item.item_name}",
                    f"is stored for {checklist.producer} with other values. "
                    "Import this file into another study.",
                )
    _write(new, report)
    report.created += sum(item.rows for _, item, _ in new)
    return stored


def _checklists(
    study: Study, wanted: list[Wanted], producer_kind: Checklist.Producer, file: FoundFile
) -> list[Checklist]:
    first = wanted[0].record
    names = {
        "producer_kind": producer_kind,
        "producer": first.producer,
        "method": first.method,
    }
    known = {
        (checklist.case_id, checklist.summary_id): checklist
        for checklist in Checklist.objects.filter(
            case__in=[one.case for one in wanted],
            summary__isnull=first.about is None,
            **names,
        )
    }
    new: list[Checklist] = []
    stored: list[Checklist] = []
    for one in wanted:
        checklist = known.get((one.case.pk, one.summary.pk if one.summary else None))
        if checklist is not None:
            checklist.case = one.case
        else:
            checklist = Checklist(
                case=one.case,
                summary=one.summary,
                template=study.template,
                metadata={"file": file.name, **one.record.metadata},
                **names,
            )
            new.append(checklist)
        stored.append(checklist)
    Checklist.objects.bulk_create(new, batch_size=BATCH)
    return stored


def _stored_items(checklists: list[Checklist]) -> Mapping[tuple[int, str], str | None]:
    rows = ChecklistItem.objects.filter(checklist__in=checklists)
    return {
        (checklist_id, key): sha256
        for checklist_id, key, sha256 in rows.values_list(
            "checklist_id", "item_key", KT("metadata__sha256")
        )
    }


def _item_row(checklist: Checklist, item: ExtractedItem, sha256: str) -> ChecklistItem:
    return ChecklistItem(
        checklist=checklist,
        item_key=item.item_key,
        state=item.state.value,
        metadata={**item.metadata, "sha256": sha256},
    )


def _write(new: list[tuple[ChecklistItem, ExtractedItem, Place]], report: FileReport) -> None:
    ChecklistItem.objects.bulk_create([row for row, _, _ in new], batch_size=BATCH)
    values: list[ChecklistValue] = []
    evidence: list[Evidence] = []
    for row, item, place in new:
        for position, value in enumerate(item.values):
            placed = [place.find(quote, report) for quote in value.quotes]
            value_row = ChecklistValue(
                item=row, position=position, text=value.text, metadata=_metadata(value, placed)
            )
            values.append(value_row)
            rows = [evidence_row for each in placed for evidence_row in each.rows()]
            for number, evidence_row in enumerate(rows):
                evidence_row.value, evidence_row.position = value_row, number
            evidence += rows
    ChecklistValue.objects.bulk_create(values, batch_size=BATCH)
    Evidence.objects.bulk_create(evidence, batch_size=BATCH)


def _metadata(value: ExtractedValue, placed: list[Placed]) -> dict[str, object]:
    """What is not in the rows: the quotes of the file, where the text says it otherwise."""
    metadata = dict(value.metadata)
    if not all(each.is_verbatim for each in placed):
        quotes = [each.quote for each in placed]
        metadata["evidence"] = [as_in_file(q.text, q.source_name, q.location) for q in quotes]
    return metadata
