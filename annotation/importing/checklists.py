"""Writing the items of a checklist with their values and evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.importing.services import BATCH
from annotation.kinds.extraction import Value
from annotation.models import Checklist, ChecklistItem, ChecklistValue, Evidence


def store_items(
    checklist: Checklist,
    values: dict[str, list[Value]],
    *,
    names: Mapping[str, str] | None = None,
    value_metadata: Mapping[str, Sequence[dict[str, Any]]] | None = None,
) -> None:
    """Write the items of a new checklist of a summary, its evidence exactly located.

    ``names`` are the names under which a file had the items, by item key; ``value_metadata`` is
    what it had beyond the text of each value, in the order of ``values``.
    """
    names, of_values = names or {}, value_metadata or {}
    rows = ChecklistItem.objects.bulk_create(
        [
            ChecklistItem(
                checklist=checklist,
                item_key=key,
                state=ChecklistItem.State.VALUES if found else ChecklistItem.State.ABSENT,
                metadata={"name": names[key]} if key in names else {},
            )
            for key, found in values.items()
        ]
    )
    pairs = [
        (
            ChecklistValue(
                item=row,
                position=position,
                text=value.text,
                metadata=of_values[row.item_key][position] if row.item_key in of_values else {},
            ),
            value,
        )
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


def holds(checklist: Checklist, values: Mapping[str, Sequence[Value]]) -> bool:
    """Whether a stored checklist says exactly ``values``, item by item and in this order."""
    items = checklist.items.prefetch_related("values__evidence")
    stored = {
        item.item_key: [
            (
                value.text,
                [
                    (e.start, e.end, e.quote)
                    for e in sorted(value.evidence.all(), key=lambda e: e.position)
                ],
            )
            for value in sorted(item.values.all(), key=lambda v: v.position)
        ]
        for item in items
    }
    return stored == {
        key: [(v.text, [(s.start, s.end, s.quote) for s in v.evidence]) for v in found]
        for key, found in values.items()
    }
