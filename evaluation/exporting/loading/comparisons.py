"""Preparing what judges said when they compared two checklists item by item."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.exporting.bundle import ChecklistComparisonRow, ItemVerdictRow, moment_of
from evaluation.exporting.loading.common import Target, batches, found
from evaluation.models import ChecklistComparison, ItemVerdict


def prepare_comparisons(target: Target, rows: Iterator[ChecklistComparisonRow]) -> None:
    for batch in batches(rows):
        made = target.create(
            ChecklistComparison,
            [
                ChecklistComparison(
                    case_id=found(target.cases, row.case),
                    comparer=row.comparer,
                    model_name=row.model,
                    extractor=row.extractor,
                    method=row.method,
                    model_checklist_id=target.checklist(row.case, row.model_checklist),
                    reference_checklist_id=target.checklist(row.case, row.reference_checklist),
                    source_file=row.source_file,
                    metadata=row.metadata,
                )
                for row in batch
            ],
            created_at=[moment_of(row.created_at) for row in batch],
        )
        keys = (row.identity() for row in batch)
        target.comparisons.update(zip(keys, (c.pk for c in made), strict=True))


def prepare_item_verdicts(target: Target, rows: Iterator[ItemVerdictRow]) -> None:
    for batch in batches(rows):
        target.create(
            ItemVerdict,
            [
                ItemVerdict(
                    comparison_id=found(target.comparisons, row.comparison()),
                    item_key=row.item,
                    form=row.form,
                    orientation=row.orientation,
                    first_side=row.first_side,
                    status=row.status,
                    reason=row.reason,
                    payload=row.payload,
                    shown=row.shown,
                    raw=row.raw,
                    repairs=row.repairs,
                    n_model=row.n_model,
                    n_reference=row.n_reference,
                )
                for row in batch
            ],
        )
