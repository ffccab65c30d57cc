"""What people marked in a text in Label Studio, as the values of a checklist. PURE.

Offsets of Label Studio are code points since its version 1.13.1. Before that its pages counted
UTF-16 units; which it was is seen from the marked text that stands beside the offsets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.errors import InvalidInput
from annotation.kinds.extraction import ItemState, ItemValues, Value
from annotation.kinds.spans import Span
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_int,
    as_list,
    as_object,
    as_text,
    member,
    within,
)
from annotation.records.label_studio.names import (
    ABSENT,
    NOT_APPLICABLE,
    OURS,
    UNQUOTED,
    region_text,
)
from annotation.records.quoting import brief, shown
from annotation.text.normalise import (
    NormalisedText,
    normalise_excerpt,
    storable_text,
    utf16_to_code_points,
)

_STATES = {ABSENT: ItemState.ABSENT, NOT_APPLICABLE: ItemState.NOT_APPLICABLE}
_VALUE_ORDER = 2**31


class _Unit(StrEnum):
    """What offsets count, by the name of the repair. ``ORIGINAL``: line ends as in the file."""

    CODE_POINTS = "offsets_in_code_points"
    UTF16 = "offsets_in_utf16_units"
    ORIGINAL = "offsets_with_both_characters_of_line_ends"


@dataclass(slots=True)
class Marked:
    """What an annotation says of the items, by key, and how often what could not be taken over."""

    items: dict[str, ItemValues] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Region:
    start: int
    end: int
    quote: str | None
    labels: list[str]
    place: str
    value: str = ""
    number: int | None = None


def read_marks(results: object, text: NormalisedText, resolve: ResolveItem, place: str) -> Marked:
    """The items of one annotation of ``text`` (which maps offsets of the text as the task has it).

    A region is a quote; regions of one item with the same value text are one value. A value is
    what was typed for the region, else the quote. Labels that are no items and results of other
    kinds are counted in ``left_out`` by name. Raises ``Misfit`` for results of no known shape, and
    for a region whose offsets do not give its text in any unit.
    """
    marked = Marked()
    rows = [as_object(row, within(place, i)) for i, row in enumerate(as_list(results, place))]
    typed: dict[str, str] = {}
    regions: dict[str, _Region] = {}
    states: dict[str, ItemState] = {}
    unquoted: list[str] = []
    for number, row in enumerate(rows):
        where = within(place, number)
        kind, name = row.get("type"), str(row.get("from_name", ""))
        if kind == "labels":
            regions[f"{row.get('id', number)}"] = _region(row, where)
        elif kind == "textarea" and "start" in as_object(row.get("value", {}), where):
            typed[f"{row.get('id', number)}"] = "\n".join(_texts(row, "text", where))
        elif kind == "textarea" and name == UNQUOTED:
            unquoted += _texts(row, "text", where)
        elif kind == "choices" and name in _STATES:
            for choice in _texts(row, "choices", where):
                _take_state(choice, _STATES[name], states, resolve, marked)
        else:
            marked.left_out[f"{brief(str(kind))} {brief(name)}".strip()] += 1
    for key, value in typed.items():
        if key in regions:
            regions[key].value = value
        else:
            marked.left_out["textarea of no region"] += 1
    values = _values(list(regions.values()), text, resolve, marked)
    for line in unquoted:
        _take_unquoted(line, values, resolve, marked)
    marked.items = {
        key: ItemValues(state=ItemState.VALUES, values=found) for key, found in values.items()
    }
    for key, state in states.items():
        if key in marked.items:
            marked.left_out["absent or not applicable, of an item with values"] += 1
        else:
            marked.items[key] = ItemValues(state=state)
    return marked


def _region(row: dict[str, object], place: str) -> _Region:
    value = as_object(member(row, "value", place), within(place, "value"))
    inside = within(place, "value")
    start, end = (
        as_int(member(value, name, inside), within(inside, name)) for name in ("start", "end")
    )
    quote = value.get("text")
    meta = row.get("meta")
    ours = meta.get(OURS) if isinstance(meta, dict) else None
    number = ours.get("value") if isinstance(ours, dict) else None
    return _Region(
        start=start,
        end=end,
        quote=quote if isinstance(quote, str) else None,
        labels=[as_text(label, inside) for label in as_list(value.get("labels", []), inside)],
        place=place,
        number=number if isinstance(number, int) else None,
    )


def _texts(row: Mapping[str, object], name: str, place: str) -> list[str]:
    value = as_object(member(dict(row), "value", place), within(place, "value"))
    inside = within(within(place, "value"), name)
    raw = value.get(name, [])
    listed = as_list([raw] if isinstance(raw, str) else raw, inside)
    return [storable_text(as_text(text, inside)) for text in listed]


def _take_state(
    choice: str,
    state: ItemState,
    states: dict[str, ItemState],
    resolve: ResolveItem,
    marked: Marked,
) -> None:
    key = resolve(choice)
    if key is None:
        marked.left_out[f"choice {brief(choice)}"] += 1
    elif key in states:
        marked.left_out["absent or not applicable, said twice"] += 1
    else:
        states[key] = state


def _values(
    regions: Sequence[_Region], text: NormalisedText, resolve: ResolveItem, marked: Marked
) -> dict[str, list[Value]]:
    unit = _unit(regions, text)
    if unit is not _Unit.CODE_POINTS:
        marked.repairs[unit] += len(regions)
    gathered: dict[str, dict[tuple[int | None, str], list[Span]]] = {}
    for region in regions:
        span = _span(region, text, unit, marked)
        for label in region.labels or [""]:
            key = resolve(label) if label else None
            if key is None:
                marked.left_out[f"label {brief(label)}" if label else "region without label"] += 1
                continue
            said = (region.number, region.value or span.quote)
            gathered.setdefault(key, {}).setdefault(said, []).append(span)
    return {
        key: [
            Value(text=said, evidence=spans)
            for (_, said), spans in sorted(
                found.items(),
                # Our own values keep their order; what was added there comes after them.
                key=lambda entry: _VALUE_ORDER if entry[0][0] is None else entry[0][0],
            )
        ]
        for key, found in gathered.items()
    }


def _take_unquoted(
    line: str, values: dict[str, list[Value]], resolve: ResolveItem, marked: Marked
) -> None:
    """``Item: value``; a name of an item may itself have a colon."""
    parts = line.split(": ")
    for cut in range(len(parts) - 1, 0, -1):
        key = resolve(": ".join(parts[:cut]))
        said = ": ".join(parts[cut:])
        if key is not None and said.strip():
            values.setdefault(key, []).append(Value(text=said))
            return
    marked.left_out["value that names no item"] += 1


def _unit(regions: Sequence[_Region], text: NormalisedText) -> _Unit:
    """The first unit in which most of the marked texts are right: one annotation has one unit."""
    with_text = [region for region in regions if region.quote]

    def right(unit: _Unit) -> int:
        return sum(_cut(region, text, unit) is not None for region in with_text)

    return max(_Unit, key=right)


def _span(region: _Region, text: NormalisedText, unit: _Unit, marked: Marked) -> Span:
    found = _cut(region, text, unit)
    if found is None:
        raise Misfit(
            region.place,
            f"marks {region.start} to {region.end}, and {shown(region.quote)} is not what the "
            "text says there. Export the project again.",
        )
    if region.quote is None:
        marked.repairs["marked_text_missing"] += 1
    start, end = found
    return Span(start=start, end=end, quote=text.text[start:end])


def _cut(region: _Region, text: NormalisedText, unit: _Unit) -> tuple[int, int] | None:
    """Offsets into the stored text, if they give the text of the region."""
    try:
        start, end = (_stored(offset, text, unit) for offset in (region.start, region.end))
    except InvalidInput:
        return None
    quote = text.text[start:end]
    if not quote:
        return None
    if region.quote is None:
        return start, end
    said = normalise_excerpt(region.quote)
    return (start, end) if said in (quote, region_text(quote)) else None


def _stored(offset: int, text: NormalisedText, unit: _Unit) -> int:
    """An offset as an offset into the stored text. Raises ``InvalidInput`` outside it."""
    if unit is _Unit.UTF16:
        return utf16_to_code_points(text.text, offset)
    if unit is _Unit.ORIGINAL:
        return text.map_offset(offset)
    if offset > len(text.text):
        raise InvalidInput(f"Offset {offset} is outside the text.")
    return offset
