"""Storing a judge's comparisons of checklists, each linked with the checklists that are here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db.models import Count, JSONField, Q, QuerySet, Value

from annotation.importing.services import BATCH
from annotation.importing.tasks import cases_called
from annotation.models import Case, Checklist, ChecklistItem, Study, Summary
from annotation.records.report import FileReport
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.readers.discover import FoundFile
from evaluation.releasing.readers.orientation import Lengths, agreed_length
from evaluation.releasing.readers.verdict_cells import (
    CellReading,
    claimed_reference_length,
    counted,
    read_cell,
)
from evaluation.releasing.readers.verdicts import Compared, VerdictRecord
from evaluation.releasing.storing.human import HUMAN

# What a reading can change in a stored verdict when more is known than at the first import.
_READ = (
    "form", "orientation", "first_side", "status", "reason", "payload", "shown", "repairs",
    "n_model", "n_reference",
)  # fmt: skip


def store_verdicts(
    study: Study, records: Iterator[object], file: FoundFile, report: FileReport
) -> None:
    """Store the cells of a file of comparisons as the verdicts of one judge.

    A cell that is stored already is left as it is; where more is known of its lists by now (a
    checklist or another file came later), its reading is brought up to date and counted in
    ``found`` as ``verdicts_read_anew``. Another cell for the same item is a problem.
    """
    cells = [record for record in records if isinstance(record, VerdictRecord)]
    if not cells:
        return
    compared = cells[0].compared
    cases = cases_called(study, {cell.case_id for cell in cells}, report)
    sides = _Sides(study, compared, report)
    comparisons = _comparisons(cells, cases, sides, file)
    claims = _stored_claims(study, cells)
    known = {
        (verdict.comparison_id, verdict.item_key): verdict
        for verdict in ItemVerdict.objects.filter(
            comparison__in=[comparison.pk for comparison in comparisons.values()]
        )
    }
    new: list[ItemVerdict] = []
    for cell in cells:
        comparison = comparisons[cell.case_id]
        lengths = sides.lengths(comparison, cell, claims)
        reading = read_cell(cell.raw, lengths)
        row = _row(comparison, cell, lengths, reading)
        stored = known.get((comparison.pk, cell.item_key))
        if stored is not None and stored.raw != cell.raw:
            report.problem(
                cell.place,
                f"another verdict of {compared.comparer} is stored for this item, from "
                f"{comparison.source_file}. Import this file into another study.",
            )
            continue
        report.tolerate(cell.place, reading.repairs)
        report.found.update(counted(reading))
        if reading.form == "list" and None in (lengths.model, lengths.reference):
            report.found["verdicts_list_length_unknown"] += 1
        if stored is None:
            new.append(row)
        else:
            report.unchanged += 1
            if changed := _renew(stored, row):
                # Not in bulk, which would write the lack of an answer as the JSON value null.
                stored.save(update_fields=changed)
                report.found["verdicts_read_anew"] += 1
    ItemVerdict.objects.bulk_create(new, batch_size=BATCH)
    report.created += len(new)


class _Sides:
    """The checklists that a judge compared, as far as the study has them, by case."""

    def __init__(self, study: Study, compared: Compared, report: FileReport) -> None:
        lists = Checklist.objects.filter(case__study=study)
        judges = lists.filter(producer_kind=Checklist.Producer.JUDGE, producer=compared.extractor)
        if compared.method:
            model = lists.filter(
                summary=None, producer=compared.model, method=method_of(compared)
            ).exclude(producer_kind=Checklist.Producer.ANNOTATOR)
            reference = lists.filter(
                producer_kind=Checklist.Producer.GOLD,
                producer=HUMAN,
                summary__kind=Summary.Kind.REFERENCE,
            )
        else:
            model = judges.filter(
                summary__producer=compared.model, summary__kind=Summary.Kind.MODEL
            )
            reference = judges.filter(summary__kind=Summary.Kind.REFERENCE)
        self.model = _only_ones(model, report)
        self.reference = _only_ones(reference, report)
        self._counts = _value_counts([*self.model.values(), *self.reference.values()])

    def lengths(
        self,
        comparison: ChecklistComparison,
        cell: VerdictRecord,
        claims: Mapping[tuple[str, str], Mapping[Compared, int]],
    ) -> Lengths:
        """How many values the two lists of a cell have."""
        model = self._counts.get((comparison.model_checklist_id, cell.item_key))
        reference = self._counts.get((comparison.reference_checklist_id, cell.item_key))
        if reference is None:
            said = {**claims.get((cell.case_id, cell.item_key), {}), **cell.claims}
            reference = agreed_length(said.values())
        return Lengths(
            model,
            reference,
            model_not_extracted=model is None and comparison.model_checklist_id is not None,
        )


def method_of(compared: Compared) -> str:
    """How the documents were read, as ``Checklist.method`` and the comparison call it."""
    return f"{compared.method} {compared.setting}" if compared.setting else compared.method


def _only_ones(checklists: QuerySet[Checklist], report: FileReport) -> dict[str, Checklist]:
    """By case, where there is exactly one: which of two was compared would be a guess."""
    found: dict[str, list[Checklist]] = {}
    for checklist in checklists.select_related("case"):
        found.setdefault(checklist.case.external_id, []).append(checklist)
    several = sum(len(each) > 1 for each in found.values())
    if several:
        report.found["checklists_ambiguous"] += several
    return {case_id: each[0] for case_id, each in found.items() if len(each) == 1}


def _value_counts(checklists: list[Checklist]) -> dict[tuple[int | None, str], int]:
    rows = (
        ChecklistItem.objects.filter(checklist__in=[checklist.pk for checklist in checklists])
        .annotate(n=Count("values"))
        .values_list("checklist_id", "item_key", "n")
    )
    return {(checklist_id, key): n for checklist_id, key, n in rows}


def _comparisons(
    cells: list[VerdictRecord], cases: dict[str, Case], sides: _Sides, file: FoundFile
) -> dict[str, ChecklistComparison]:
    """The comparison of each case of the file, made or found, and linked with what is here."""
    compared = cells[0].compared
    names = {
        "comparer": compared.comparer,
        "model_name": compared.model,
        "extractor": compared.extractor,
        "method": method_of(compared),
    }
    found = {
        comparison.case_id: comparison
        for comparison in ChecklistComparison.objects.filter(case__in=cases.values(), **names)
    }
    new: list[ChecklistComparison] = []
    linked: list[ChecklistComparison] = []
    for case_id, case in cases.items():
        model, reference = sides.model.get(case_id), sides.reference.get(case_id)
        comparison = found.get(case.pk)
        if comparison is None:
            comparison = found[case.pk] = ChecklistComparison(
                case=case, source_file=file.name[-500:], metadata=dict(cells[0].metadata), **names
            )
            new.append(comparison)
        elif (comparison.model_checklist_id, comparison.reference_checklist_id) != (
            model and model.pk,
            reference and reference.pk,
        ):
            linked.append(comparison)
        comparison.model_checklist, comparison.reference_checklist = model, reference
    ChecklistComparison.objects.bulk_create(new, batch_size=BATCH)
    ChecklistComparison.objects.bulk_update(
        linked, ["model_checklist", "reference_checklist"], batch_size=BATCH
    )
    return {case_id: found[case.pk] for case_id, case in cases.items()}


def _stored_claims(
    study: Study, cells: list[VerdictRecord]
) -> dict[tuple[str, str], dict[Compared, int]]:
    """What verdicts of earlier imports say of the lengths of the same reference lists."""
    compared = cells[0].compared
    here = {source.model for cell in cells for source in cell.claims}
    verdicts = ItemVerdict.objects.filter(
        Q(orientation=ItemVerdict.Orientation.KNOWN) | Q(form="single"),
        comparison__case__study=study,
        comparison__case__external_id__in={cell.case_id for cell in cells},
        status=ItemVerdict.Status.READ,
    ).exclude(comparison__model_name__in=here)
    if compared.method:
        verdicts = verdicts.exclude(comparison__method="")
    else:
        verdicts = verdicts.filter(comparison__method="", comparison__extractor=compared.extractor)
    claims: dict[tuple[str, str], dict[Compared, int]] = {}
    for verdict in verdicts.select_related("comparison__case"):
        length = claimed_reference_length(verdict.raw)
        if length is not None:
            by = verdict.comparison
            source = Compared(by.comparer, by.model_name, by.extractor, by.method)
            claims.setdefault((by.case.external_id, verdict.item_key), {})[source] = length
    return claims


def _row(
    comparison: ChecklistComparison, cell: VerdictRecord, lengths: Lengths, reading: CellReading
) -> ItemVerdict:
    status = ItemVerdict.Status.READ if reading.is_read else ItemVerdict.Status.NOT_SCORED
    return ItemVerdict(
        comparison=comparison,
        item_key=cell.item_key,
        form=reading.form,
        orientation=reading.orientation.value,
        first_side=reading.first.value if reading.first else "",
        status=status,
        reason=reading.reason,
        payload=reading.answer.model_dump(mode="json") if reading.answer else None,
        shown=reading.shown,
        # A cell that is null is a value here, not the lack of one.
        raw=Value(None, JSONField()) if cell.raw is None else cell.raw,
        repairs=dict(sorted(reading.repairs.items())),
        n_model=lengths.model,
        n_reference=lengths.reference,
    )


def _renew(stored: ItemVerdict, row: ItemVerdict) -> list[str]:
    """Take over what is read differently by now; the names of those fields."""
    changed = [name for name in _READ if getattr(stored, name) != getattr(row, name)]
    for name in changed:
        setattr(stored, name, getattr(row, name))
    return changed
