"""The writing style interface's file of pairs. PURE.

One JSON object with ``keys`` (case ids), ``summary_pairs`` (``summary_A``, ``summary_B``) and
``orders`` of equal length, and ``metadata``. ``orders[i]`` holds the sources of A and of B; the
reference is the one whose path lacks ``_summarization``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.kinds.comparison import Side
from annotation.kinds.style import Content
from annotation.records.fields import (
    Misfit,
    as_case_id,
    as_name,
    as_object,
    as_text,
    member,
    within,
)
from annotation.records.json_files import read_json
from annotation.records.pair_tables import (
    MODEL_MARK,
    Entry,
    read_entries,
    read_tables,
    side_shown_first,
    unknown_fields,
)
from annotation.records.report import FileReport
from annotation.text.normalise import normalise_text, storable_text

_PAIR_FIELDS = {"summary_A", "summary_B"}


@dataclass(frozen=True, slots=True)
class StyleRecord:
    """One pair of the file, oriented.

    ``key`` is unique in the file and the same at every reading: case and model, and the position
    where these are not enough. ``model`` is the name of the model in the path of its summary.
    ``position`` is 0-based. ``content.imported_first`` is the side that the file showed as A.
    ``metadata`` holds fields that the format does not know.
    """

    key: str
    case_id: str
    model: str
    position: int
    content: Content
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


def read_styles(path: Path, report: FileReport) -> list[StyleRecord]:
    """Read the file at ``path``; see :func:`parse_styles`.

    Raises ``UnreadableFile`` when it cannot be read as JSON or is no file of style pairs.
    """
    return parse_styles(read_json(path, name=report.path, repairs=report.repairs), report)


def parse_styles(data: object, report: FileReport) -> list[StyleRecord]:
    """Turn the parsed file into records, in file order.

    An entry that cannot be accepted becomes a problem of ``report`` with its place, and the others
    are still read. Tables of different lengths give no record. ``report.found`` counts ``pairs``,
    ``reference_shown_first`` and ``orientation_unknown``; ``report.repairs`` changes of text,
    ``summary_outer_blanks`` (kept) and ``same_text_on_both_sides``. Raises ``UnreadableFile`` when
    ``data`` is no file of style pairs.
    """
    tables = read_tables(data, "summary_pairs", "style pairs", report)
    records = read_entries(
        tables.entries,
        _record,
        lambda one, other: _texts(one.content) == _texts(other.content),
        report,
    )
    for record in records:
        report.found["pairs"] += 1
        if record.content.imported_first is Side.REFERENCE:
            report.found["reference_shown_first"] += 1
    return records


def model_in(source: str) -> str:
    """The model that a source names: the last part of the path with the mark, without it.

    >>> model_in("legal/gemma-3_summarization/cases_True")
    'gemma-3'
    """
    marked = [part for part in source.split("/") if MODEL_MARK in part]
    return marked[-1].split(MODEL_MARK)[0].strip() or source if marked else source


def _record(entry: Entry, repairs: Counter[str]) -> StyleRecord:
    place = entry.place("keys")
    case_id = as_case_id(entry.key, place)
    order = entry.sources()
    order_place = entry.place("orders")
    first = side_shown_first(order, order_place)
    pair_place = entry.place("summary_pairs")
    pair = as_object(entry.pair, pair_place)
    a, b = (
        _text(member(pair, name, pair_place), within(pair_place, name), repairs)
        for name in ("summary_A", "summary_B")
    )
    if a == b:
        repairs["same_text_on_both_sides"] += 1
    model_first = first is Side.MODEL
    source_a, source_b = (storable_text(source) for source in order)
    content = Content(
        model_text=a if model_first else b,
        reference_text=b if model_first else a,
        model_source=source_a if model_first else source_b,
        reference_source=source_b if model_first else source_a,
        imported_first=first,
    )
    model_place = within(order_place, 0 if model_first else 1)
    model = as_name(model_in(content.model_source), model_place)
    return StyleRecord(
        key=as_name(f"{case_id}/{model}", model_place, longest=_LONGEST_KEY),
        case_id=case_id,
        model=model,
        position=entry.position,
        content=content,
        metadata=unknown_fields(pair, _PAIR_FIELDS),
    )


# A position may follow, and the whole must fit the column.
_LONGEST_KEY = 190


def _text(value: object, place: str, repairs: Counter[str]) -> str:
    raw = as_text(value, place)
    normalised = normalise_text(raw)
    repairs.update(normalised.changes)
    if raw != raw.strip():
        repairs["summary_outer_blanks"] += 1
    if not normalised.text.strip():
        raise Misfit(place, "must say something. Fill it in or take the pair out.")
    return normalised.text


def _texts(content: Content) -> tuple[str, str]:
    return content.model_text, content.reference_text
