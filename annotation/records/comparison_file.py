"""The checklist comparison interface's file of pairs. PURE.

One JSON object with ``keys``, ``value_pairs`` and ``orders`` of equal length, and ``metadata``
(``data_pair_list``: the two sources of each pair index). ``orders[i]`` holds the sources of A and
of B; the reference is the one whose path lacks ``_summarization``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.kinds.comparison import Content, Side
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_bool,
    as_case_id,
    as_int,
    as_item_key,
    as_list,
    as_name,
    as_object,
    as_text,
    member,
    within,
)
from annotation.records.json_files import read_json
from annotation.records.pair_tables import (
    Entry,
    no_such_file,
    read_entries,
    read_tables,
    side_shown_first,
    unknown_fields,
)
from annotation.records.report import FileReport
from annotation.text.normalise import normalise_text, storable_text

_KEY_FIELDS = {"case_id", "checklist_item", "source_pair_idx"}
_PAIR_FIELDS = {"item_A", "item_B", "is_list"}


@dataclass(frozen=True, slots=True)
class ComparisonRecord:
    """One pair of the file, oriented.

    ``key`` is unique in the file and the same at every reading: case, item and pair index, and
    the position where these are not enough. ``item_key`` is the template's name of the item,
    ``item_name`` the file's. ``position`` is 0-based. ``content.imported_first`` is the side that
    the file showed as A. ``metadata`` holds fields that the format does not know.
    """

    key: str
    case_id: str
    item_key: str
    item_name: str
    source_pair_idx: int
    position: int
    content: Content
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


def read_comparisons(
    path: Path, resolve: ResolveItem, report: FileReport
) -> list[ComparisonRecord]:
    """Read the file at ``path``; see :func:`parse_comparisons`.

    Raises ``UnreadableFile`` when it cannot be read as JSON or is no comparison file.
    """
    return parse_comparisons(
        read_json(path, name=report.path, repairs=report.repairs), resolve, report
    )


def parse_comparisons(
    data: object, resolve: ResolveItem, report: FileReport
) -> list[ComparisonRecord]:
    """Turn the parsed file into records, in file order.

    ``resolve`` gives the template's key for an item name, or None. An entry that cannot be accepted
    becomes a problem of ``report`` with its place, and the others are still read; the caller
    decides whether to store any. Lists of different lengths give no record at all, since then
    nothing says which entries belong together. ``report.found`` counts ``lists``, ``singles`` and
    ``orientation_unknown``; ``report.repairs`` changes of text and lists with the same value twice.
    Raises ``UnreadableFile`` when ``data`` is no comparison file.
    """
    tables = read_tables(data, "value_pairs", "comparison pairs", report)
    try:
        sources = _sources(tables.metadata)
    except Misfit as misfit:
        raise no_such_file(misfit, "comparison pairs", report) from misfit
    records = read_entries(
        tables.entries,
        lambda entry, repairs: _record(entry, sources, resolve, repairs),
        lambda one, other: _values(one.content) == _values(other.content),
        report,
    )
    for record in records:
        report.found["lists" if record.content.form == "list" else "singles"] += 1
    return records


def _record(
    entry: Entry,
    sources: list[object] | None,
    resolve: ResolveItem,
    repairs: Counter[str],
) -> ComparisonRecord:
    place = entry.place("keys")
    key = as_object(entry.key, place)
    case_id = as_case_id(member(key, "case_id", place), within(place, "case_id"))
    item_place = within(place, "checklist_item")
    item_name = as_name(member(key, "checklist_item", place), item_place)
    index_place = within(place, "source_pair_idx")
    index = as_int(member(key, "source_pair_idx", place), index_place)
    item_key = as_item_key(item_name, resolve, item_place)
    order = _order(entry, sources, index, index_place)
    pair_place = entry.place("value_pairs")
    pair = as_object(entry.pair, pair_place)
    return ComparisonRecord(
        key=f"{case_id}/{item_key}/{index}",
        case_id=case_id,
        item_key=item_key,
        item_name=item_name,
        source_pair_idx=index,
        position=entry.position,
        content=_content(pair, pair_place, order, repairs),
        metadata=_unknown_fields(key, pair),
    )


def _sources(metadata: dict[str, object]) -> list[object] | None:
    """``metadata.data_pair_list``, where the file has it."""
    if "data_pair_list" not in metadata:
        return None
    return as_list(metadata["data_pair_list"], "metadata.data_pair_list")


def _order(
    entry: Entry, sources: list[object] | None, index: int, index_place: str
) -> tuple[str, str]:
    """The sources of A and B, checked against the pair that the key names."""
    place = entry.place("orders")
    a, b = entry.sources()
    if sources is None:
        return a, b
    if index >= len(sources):
        raise Misfit(index_place, f"is {index}, and metadata.data_pair_list has {len(sources)}.")
    if sources[index] not in ([a, b], [b, a]):
        raise Misfit(place, f"does not name the two sources of metadata.data_pair_list[{index}].")
    return a, b


def _content(
    pair: dict[str, object], place: str, order: tuple[str, str], repairs: Counter[str]
) -> Content:
    is_list = as_bool(member(pair, "is_list", place), within(place, "is_list"))
    first = side_shown_first(order, place.replace("value_pairs", "orders"))
    a, b = (
        _side(member(pair, name, place), within(place, name), is_list, repairs)
        for name in ("item_A", "item_B")
    )
    model_first = first is Side.MODEL
    source_a, source_b = (storable_text(source) for source in order)
    return Content(
        form="list" if is_list else "single",
        model=a if model_first else b,
        reference=b if model_first else a,
        model_source=source_a if model_first else source_b,
        reference_source=source_b if model_first else source_a,
        imported_first=first,
    )


def _side(value: object, place: str, is_list: bool, repairs: Counter[str]) -> list[str]:
    if is_list:
        elements = as_list(value, place)
        if not elements:
            raise Misfit(place, "is an empty list: there is nothing to compare. Take the pair out.")
        raw = [as_text(element, within(place, i)) for i, element in enumerate(elements)]
    else:
        raw = [as_text(value, place)]
    normalised = [normalise_text(text) for text in raw]
    for text in normalised:
        repairs.update(text.changes)
    values = [text.text for text in normalised]
    if len(set(values)) != len(values):
        repairs["same_value_twice"] += 1
    return values


def _unknown_fields(key: dict[str, object], pair: dict[str, object]) -> dict[str, object]:
    unknown = {
        "key": unknown_fields(key, _KEY_FIELDS),
        "value_pair": unknown_fields(pair, _PAIR_FIELDS),
    }
    return {table: fields for table, fields in unknown.items() if fields}


def _values(content: Content) -> tuple[str, list[str], list[str]]:
    return content.form, content.model, content.reference
