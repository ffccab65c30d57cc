"""What a model extracted, as files have it: items, values, quotes without offsets. PURE.

The files of summary checklists, document checklists and agent runs share the cell
``{reasoning, extracted: [{evidence: [...], value}]}``. It is read here.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

from annotation.kinds.extraction import ItemState
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_int,
    as_list,
    as_name,
    as_object,
    as_text,
    member,
)
from annotation.records.quoting import shown
from annotation.records.report import FileReport
from annotation.text.normalise import (
    normalise_excerpt,
    normalise_text,
    storable_json,
    storable_text,
)
from evaluation.releasing.readers.items import ItemNames, items_of
from evaluation.releasing.readers.summaries import place_of

SOURCE_NAME_LENGTH = 500


@dataclass(frozen=True, slots=True)
class FileQuote:
    """One piece of evidence, before anybody has looked for it.

    ``source_name`` and ``location`` are the document and the place in the words of the file, empty
    where it has none. ``offsets`` are code points ``[start, end)`` of the original text; None where
    the file has none, which is the rule.
    """

    text: str
    source_name: str = ""
    location: str = ""
    offsets: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ExtractedValue:
    """One value. ``metadata`` keeps what the file has beyond text and evidence; ``raw`` in it is
    the value as it was where that is no text."""

    text: str
    quotes: tuple[FileQuote, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ExtractedItem:
    """What was extracted for one item; ``item_name`` is the file's name of it."""

    item_key: str
    item_name: str
    state: ItemState
    values: tuple[ExtractedValue, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def sha256(self) -> str:
        """A hash of all that was read: equal for items that say the same."""
        content = asdict(self)
        del content["item_name"]
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def rows(self) -> int:
        """How many rows it counts for in a report: its values, or itself if it has none."""
        return len(self.values) or 1


@dataclass(frozen=True, slots=True)
class ExtractedChecklist:
    """Items that one model extracted for one case.

    ``about`` is the producer of the summary they were extracted from, None for the documents of
    the case. ``method`` tells apart the ways in which a model reads documents.
    """

    case_id: str
    about: str | None
    producer: str
    method: str
    items: tuple[ExtractedItem, ...]
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


def model_name(value: object, place: str) -> str:
    """The name of a model without the account it is published under.

    >>> model_name("unsloth/gpt-oss-20b-BF16", "meta_data.inference_model")
    'gpt-oss-20b-BF16'
    """
    return as_name(as_name(value, place).rpartition("/")[2], place)


def read_items(
    case_id: str,
    value: object,
    resolve: ResolveItem,
    report: FileReport,
    change: Callable[[ExtractedItem, Counter[str]], ExtractedItem] = lambda item, repairs: item,
) -> tuple[ExtractedItem, ...]:
    """The items of one case, in file order: ``{item name: cell}``.

    A cell is an object with ``extracted``, a list of values, or that list itself. ``change`` may
    turn each item into another. An item with anything that cannot be accepted becomes a problem
    that names case, item and value, and is left out.

    Counted in ``report.repairs``. Kept as they are: ``values_outer_blanks``,
    ``values_line_breaks``, ``values_without_evidence``, ``values_same_evidence_twice``,
    ``items_same_value_twice``, ``evidence_outer_blanks``. Put into words, with the original in the
    metadata: ``values_list``, ``values_object``, ``values_number``. Put into words:
    ``evidence_parts_not_text``. Read as a list of one: ``evidence_not_a_list``. Shortened:
    ``source_names_shortened``. Left out: ``evidence_blank``. ``items_as_bare_lists`` are
    cells that are a mere list. Changes of texts count as in ``normalise_text``.
    """
    place = place_of(case_id)
    items: list[ExtractedItem] = []
    names = ItemNames(resolve)
    for item_name, cell in items_of(case_id, value, report).items():
        repairs: Counter[str] = Counter()
        try:
            item = change(_item(place, item_name, cell, names, repairs), repairs)
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
        else:
            items.append(item)
            report.tolerate(f"{place}, {shown(item_name)}", repairs)
            report.found.update(
                items=1,
                values=len(item.values),
                evidence=sum(len(value.quotes) for value in item.values),
            )
    return tuple(items)


def _item(
    case_place: str,
    item_name: str,
    cell: object,
    names: ItemNames,
    repairs: Counter[str],
) -> ExtractedItem:
    place = f"{case_place}, {shown(item_name)}"
    item_key = names.key_for(item_name, place)
    if isinstance(cell, list):
        repairs["items_as_bare_lists"] += 1
        raw, metadata = cell, {}
    else:
        members = as_object(cell, place)
        raw = as_list(member(members, "extracted", place), f"{place}, extracted")
        metadata = _others(members, "extracted")
    values = tuple(
        _value(element, f"{place}, value {number}", repairs)
        for number, element in enumerate(raw, start=1)
    )
    if len({value.text for value in values}) != len(values):
        repairs["items_same_value_twice"] += 1
    state = ItemState.VALUES if values else ItemState.ABSENT
    return ExtractedItem(item_key, item_name, state, values, metadata)


def _value(element: object, place: str, repairs: Counter[str]) -> ExtractedValue:
    members = as_object(element, place)
    raw = member(members, "value", place)
    metadata = _others(members, "value", "evidence", "evidences", "evidences_indices")
    if not isinstance(raw, str) and raw is not None:
        repairs[_odd(raw)] += 1
        metadata["raw"] = storable_json(raw)
    normalised = normalise_text(as_text(raw if raw is None else in_words(raw), place))
    repairs.update(normalised.changes)
    quotes = _quotes(members, place, repairs)
    quirks = {
        "values_outer_blanks": normalised.text != normalised.text.strip(),
        "values_line_breaks": "\n" in normalised.text,
        "values_without_evidence": not quotes,
        "values_same_evidence_twice": len(set(quotes)) != len(quotes),
        "evidence_outer_blanks": sum(quote.text != quote.text.strip() for quote in quotes),
    }
    repairs.update({kind: int(count) for kind, count in quirks.items() if count})
    return ExtractedValue(normalised.text, quotes, metadata)


def _odd(raw: object) -> str:
    if isinstance(raw, list):
        return "values_list"
    return "values_object" if isinstance(raw, dict) else "values_number"


def in_words(value: object) -> str:
    """A parsed JSON value as a person would write it down; a text as it is.

    >>> in_words({"movant": "Ada", "counts": [1, 2], "won": True})
    'movant: Ada; counts: 1; 2; won: true'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(map(in_words, value))
    if isinstance(value, dict):
        return "; ".join(f"{name}: {in_words(element)}" for name, element in value.items())
    return json.dumps(value)


def _quotes(members: dict[str, object], place: str, repairs: Counter[str]) -> tuple[FileQuote, ...]:
    offsets: list[tuple[int, int] | None]
    if "evidences" in members:
        elements = as_list(members["evidences"], f"{place}, evidences")
        pairs = as_list(
            members.get("evidences_indices", [None] * len(elements)), f"{place}, evidences_indices"
        )
        if len(pairs) != len(elements):
            raise Misfit(
                place,
                f"has {len(pairs)} pairs of offsets and {len(elements)} texts of evidence. "
                "Each text needs its pair.",
            )
        offsets = [_pair(pair, f"{place}, evidences_indices") for pair in pairs]
    else:
        raw = members.get("evidence")
        if isinstance(raw, list) or raw is None:
            elements = raw or []
        else:
            repairs["evidence_not_a_list"] += 1
            elements = [raw]
        offsets = [None] * len(elements)
    numbered = enumerate(zip(elements, offsets, strict=True), start=1)
    quotes = [
        _quote(element, pair, f"{place}, evidence {number}", repairs)
        for number, (element, pair) in numbered
    ]
    kept = tuple(quote for quote in quotes if quote is not None)
    if len(kept) != len(quotes):
        repairs["evidence_blank"] += len(quotes) - len(kept)
    return kept


def _pair(pair: object, place: str) -> tuple[int, int] | None:
    if pair is None:
        return None
    start, end = (as_int(offset, place) for offset in as_list(pair, place, length=2))
    return start, end


def _quote(
    element: object, offsets: tuple[int, int] | None, place: str, repairs: Counter[str]
) -> FileQuote | None:
    """None for evidence that says nothing at all."""
    members = {"text": element} if isinstance(element, str) else as_object(element, place)
    text, name, location = (
        _part(members.get(part), repairs) for part in ("text", "source_document", "location")
    )
    if not (text.strip() or name.strip() or location.strip()):
        return None
    if len(name) > SOURCE_NAME_LENGTH:
        repairs["source_names_shortened"] += 1
        name = name[: SOURCE_NAME_LENGTH - 3] + "..."
    return FileQuote(normalise_excerpt(text), storable_text(name), storable_text(location), offsets)


def _part(value: object, repairs: Counter[str]) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        repairs["evidence_parts_not_text"] += 1
    return in_words(value)


def _others(members: dict[str, object], *known: str) -> dict[str, object]:
    others = {name: element for name, element in members.items() if name not in known}
    return as_object(storable_json(others), "")
