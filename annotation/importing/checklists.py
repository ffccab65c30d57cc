"""Writing the items of a checklist with their values and evidence."""

from __future__ import annotations

from annotation.importing.services import BATCH
from annotation.kinds.extraction import Value
from annotation.models import Checklist, ChecklistItem, ChecklistValue, Evidence


def store_items(checklist: Checklist, values: dict[str, list[Value]]) -> None:
    """Write the items of a new checklist of a summary, its evidence exactly located."""
    rows = ChecklistItem.objects.bulk_create(
        [
            ChecklistItem(
                checklist=checklist,
                item_key=key,
                state=ChecklistItem.State.VALUES if found else ChecklistItem.State.ABSENT,
            )
            for key, found in values.items()
        ]
    )
    pairs = [
        (ChecklistValue(item=row, position=position, text=value.text), value)
        for row in rows
        for position, value in enumerate(values[row.item_key])
    ]
    ChecklistValue.objects.bulk_create([row for row, _ in pairs], batch_size=BATCH)
    Evidence.objects.bulk_create(
        [
            Evidence(
                value=row,
                position=position,
                summary=checklist.summary,
                start=span.start,
                end=span.end,
                quote=span.quote,
                found=Evidence.Found.EXACT,
            )
            for row, value in pairs
            for position, span in enumerate(value.evidence)
        ],
        batch_size=BATCH,
    )
