"""Tables of comparison pairs, of style pairs and of summaries, row by row. PURE."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from annotation.kinds import comparison, style
from annotation.kinds.comparison import Side
from annotation.records.csv_table import Columns, Row
from annotation.records.fields import (
    LENGTH_BIN_LENGTH,
    NAME_LENGTH,
    Misfit,
    ResolveItem,
    as_case_id,
    as_item_key,
    as_name,
    as_object,
)
from annotation.records.quoting import shown
from annotation.records.report import FileReport
from annotation.text.csv_text import Cell
from annotation.text.normalise import NormalisedText, normalise_text, storable_json, storable_text

REFERENCE = "reference"

_CASE = ("case_id", "caseid", "case_number")
_MODEL_SOURCE = ("model_file", "source_model")
_REFERENCE_SOURCE = ("reference_file", "source_reference")
_SHOWN = ("imported_first", "shown_first", "first_side")

COMPARISONS = Columns(
    what="comparison pairs",
    required=("case", "item", "model_values", "reference_values"),
    names={
        "task": ("task_key", "key"),
        "case": _CASE,
        "item": ("item_key", "item_name", "checklist_item"),
        "model_values": ("model_value", "values_model"),
        "reference_values": ("reference_value", "values_reference"),
        "form": (),
        "model_source": (*_MODEL_SOURCE, "model"),
        "reference_source": (*_REFERENCE_SOURCE, "reference"),
        "shown_as_a": _SHOWN,
    },
)
STYLE_PAIRS = Columns(
    what="style pairs",
    required=("case", "model_text", "reference_text"),
    names={
        "task": ("task_key", "key"),
        "case": _CASE,
        "model_text": ("model_summary", "text_model"),
        "reference_text": ("reference_summary", "text_reference"),
        "model": ("model_name", "producer"),
        "model_source": _MODEL_SOURCE,
        "reference_source": (*_REFERENCE_SOURCE, "reference"),
        "shown_as_a": _SHOWN,
    },
)
SUMMARIES = Columns(
    what="summaries",
    required=("case", "text"),
    names={
        "case": _CASE,
        "producer": ("model", "model_name", "author"),
        "kind": ("side", "summary_kind"),
        "text": ("summary", "summary_text"),
        "filing_date": ("filed", "date_filed"),
        "case_type": (),
        "length_bin": (),
    },
)

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_KEY = 180


@dataclass(frozen=True, slots=True)
class PairRow:
    """A comparison or a style pair as a task.

    ``key`` is unique in the file and the same at every reading. ``content`` is that of the kind.
    ``item_key`` is the template's name of the item (empty for style), ``model`` the name of the
    model of a style pair. ``metadata`` holds the columns that are not known.
    """

    key: str
    place: str
    case_id: str
    content: comparison.Content | style.Content
    item_key: str = ""
    item_name: str = ""
    model: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A summary and what its row says of the case; None where the row says nothing."""

    place: str
    case_id: str
    side: Side
    producer: str
    text: NormalisedText
    filing_date: date | None = None
    case_type: str | None = None
    length_bin: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


def comparison_rows(rows: list[Row], resolve: ResolveItem, report: FileReport) -> list[PairRow]:
    """Each row as a comparison. ``resolve`` gives the template's key of an item name, or None.

    A cell of values is a JSON list of texts, or one value as it is. A task is single when both
    sides are plain cells, unless the column ``form`` says ``list``. A row that cannot be accepted
    is a problem with its line. ``report.found`` counts ``singles`` and ``lists``.
    """

    def read(row: Row, repairs: Counter[str]) -> PairRow:
        return _comparison(row, resolve, repairs)

    found = _pairs(rows, read, report)
    for pair in found:
        if isinstance(pair.content, comparison.Content):
            report.found["lists" if pair.content.form == "list" else "singles"] += 1
    return found


def style_rows(rows: list[Row], report: FileReport) -> list[PairRow]:
    """Each row as a style pair; as :func:`comparison_rows`. ``report.found`` counts ``pairs``."""
    found = _pairs(rows, _style, report)
    if found:
        report.found["pairs"] += len(found)
    return found


def summary_rows(rows: list[Row], report: FileReport) -> list[SummaryRow]:
    """Each row as a summary.

    ``kind`` is reference or model; left out, it is that of the producer called reference. A summary
    of a model needs its name. Two summaries of one case and producer are a problem.
    ``report.found`` counts ``references`` and ``model_summaries``.
    """
    found: list[SummaryRow] = []
    seen: dict[tuple[str, str], str] = {}
    for row in rows:
        repairs: Counter[str] = Counter()
        try:
            summary = _summary(row, repairs)
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
            continue
        earlier = seen.setdefault((summary.case_id, summary.producer), row.place)
        if earlier != row.place:
            report.problem(
                row.place,
                f"is a second summary of case {shown(summary.case_id)} by "
                f"{shown(summary.producer)}, after {earlier}. Take one out.",
            )
            continue
        report.tolerate(row.place, repairs)
        report.found["references" if summary.side is Side.REFERENCE else "model_summaries"] += 1
        found.append(summary)
    return found


def _pairs(
    rows: list[Row], read: Callable[[Row, Counter[str]], PairRow], report: FileReport
) -> list[PairRow]:
    found: list[PairRow] = []
    seen: dict[str, list[PairRow]] = {}
    for row in rows:
        repairs: Counter[str] = Counter()
        try:
            pair = read(row, repairs)
            namesakes = seen.setdefault(pair.key, [])
            _refuse_again(pair, namesakes, "task" in row.cells)
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
            continue
        namesakes.append(pair)
        report.tolerate(row.place, repairs)
        if len(namesakes) > 1:
            pair = replace(pair, key=f"{pair.key}#{len(namesakes)}")
        found.append(pair)
    return found


def _refuse_again(pair: PairRow, namesakes: list[PairRow], has_own_key: bool) -> None:
    for other in namesakes:
        if has_own_key or _said(other.content) == _said(pair.content):
            raise Misfit(pair.place, f"is the same task as {other.place}. Take one out.")


def _said(content: comparison.Content | style.Content) -> dict[str, Any]:
    return content.model_dump(exclude={"imported_first"})


def _comparison(row: Row, resolve: ResolveItem, repairs: Counter[str]) -> PairRow:
    case_id = _case(row)
    item_name = as_name(_needed(row, "item").strip(), _cell(row, "item"))
    item_key = as_item_key(item_name, resolve, _cell(row, "item"))
    model, model_is_list = _values(row, "model_values", repairs)
    reference, reference_is_list = _values(row, "reference_values", repairs)
    form = row.cells.get("form", "").strip().casefold()
    if form not in ("", "single", "list"):
        raise Misfit(_cell(row, "form"), f"must be single or list, and is {shown(form)}.")
    if not form:
        form = "list" if model_is_list or reference_is_list else "single"
    if form == "single" and (len(model), len(reference)) != (1, 1):
        raise Misfit(_cell(row, "form"), "is single, and a side has several values.")
    source = _source(row, "model_source")
    return PairRow(
        key=_key(row, f"{case_id}/{item_key}", source),
        place=row.place,
        case_id=case_id,
        item_key=item_key,
        item_name=item_name,
        content=comparison.Content(
            form="list" if form == "list" else "single",
            model=model,
            reference=reference,
            model_source=source,
            reference_source=_source(row, "reference_source"),
            imported_first=_shown_as_a(row),
        ),
        metadata=_others(row),
    )


def _style(row: Row, repairs: Counter[str]) -> PairRow:
    case_id = _case(row)
    texts = [_text(row, name, repairs).text for name in ("model_text", "reference_text")]
    if texts[0] == texts[1]:
        repairs["same_text_on_both_sides"] += 1
    model = _source(row, "model")
    source = _source(row, "model_source") or model
    return PairRow(
        key=_key(row, case_id, model or source),
        place=row.place,
        case_id=case_id,
        content=style.Content(
            model_text=texts[0],
            reference_text=texts[1],
            model_source=source,
            reference_source=_source(row, "reference_source"),
            imported_first=_shown_as_a(row),
        ),
        model=model or source,
        metadata=_others(row),
    )


def _summary(row: Row, repairs: Counter[str]) -> SummaryRow:
    case_id = _case(row)
    producer = row.cells.get("producer", "").strip()
    kind = row.cells.get("kind", "").strip().casefold()
    if kind not in ("", "reference", "model"):
        raise Misfit(_cell(row, "kind"), f"must be reference or model, and is {shown(kind)}.")
    if not kind:
        kind = REFERENCE if producer.casefold() in (REFERENCE, "human") else "model"
    if kind == REFERENCE:
        side, producer = Side.REFERENCE, REFERENCE
    elif not producer:
        raise Misfit(
            _cell(row, "producer"),
            "is blank: whose summary is it? Name the model, or say reference.",
        )
    elif producer.casefold() == REFERENCE:
        raise Misfit(_cell(row, "kind"), "is model, and the producer is called reference.")
    else:
        side = Side.MODEL
    case_type, length_bin = (row.cells.get(name) for name in ("case_type", "length_bin"))
    return SummaryRow(
        place=row.place,
        case_id=case_id,
        side=side,
        producer=as_name(producer, _cell(row, "producer")),
        text=_text(row, "text", repairs),
        filing_date=_day(row, "filing_date"),
        case_type=as_name(case_type.strip(), _cell(row, "case_type")) if case_type else None,
        length_bin=(
            as_name(length_bin.strip(), _cell(row, "length_bin"), longest=LENGTH_BIN_LENGTH)
            if length_bin
            else None
        ),
        metadata=_others(row),
    )


def _cell(row: Row, name: str) -> str:
    return f"{row.place}, {name}"


def _needed(row: Row, name: str) -> str:
    if name not in row.cells:
        raise Misfit(_cell(row, name), "is blank. Fill it in, or take the row out.")
    return row.cells[name]


def _case(row: Row) -> str:
    return as_case_id(_needed(row, "case").strip(), _cell(row, "case"))


def _source(row: Row, name: str) -> str:
    return storable_text(row.cells.get(name, ""))


def _text(row: Row, name: str, repairs: Counter[str]) -> NormalisedText:
    raw = _needed(row, name)
    normalised = normalise_text(raw)
    repairs.update(normalised.changes)
    if raw != raw.strip():
        repairs["summary_outer_blanks"] += 1
    return normalised


def _values(row: Row, name: str, repairs: Counter[str]) -> tuple[list[str], bool]:
    """The values of a cell, and whether it holds a JSON list."""
    raw = _needed(row, name)
    elements = listed_values(raw)
    if elements is None and re.match(r'\s*\[\s*"', raw):
        raise Misfit(
            _cell(row, name),
            "begins like a JSON list of texts and is none. Correct it; one value is written as "
            "it is.",
        )
    is_list = elements is not None
    texts = [normalise_text(text) for text in (elements if elements is not None else [raw])]
    for number, text in enumerate(texts, 1):
        repairs.update(text.changes)
        if not text.text.strip():
            raise Misfit(_cell(row, name), f"value {number} is blank. Take it out.")
    values = [text.text for text in texts]
    if len(set(values)) != len(values):
        repairs["same_value_twice"] += 1
    return values, is_list


def listed_values(cell: str) -> list[str] | None:
    """The texts of a cell that is a JSON list of texts (at least one), or None.

    >>> listed_values('["a", "b"]'), listed_values("[1]"), listed_values("[sealed]")
    (['a', 'b'], None, None)
    """
    if not cell.strip().startswith("["):
        return None
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or not value:
        return None
    return value if all(isinstance(element, str) for element in value) else None


def values_cell(values: list[str], form: str) -> str:
    """The cell that :func:`listed_values` and the column ``form`` read back as ``values``."""
    if form == "single" and not values[0].strip().startswith("["):
        return values[0]
    return json.dumps(values, ensure_ascii=False)


COMPARISON_HEADER = (
    "task_set", "task", "case", "item", "form", "model_values", "reference_values", "model_source",
    "reference_source", "shown_as_a",
)  # fmt: skip
STYLE_HEADER = (
    "task_set", "task", "case", "model_text", "reference_text", "model_source", "reference_source",
    "shown_as_a",
)  # fmt: skip
SUMMARY_HEADER = (
    "case", "producer", "kind", "text", "filing_date", "case_type", "length_bin",
)  # fmt: skip


def comparison_cells(
    task_set: str, key: str, case: str, item: str, content: comparison.Content
) -> list[Cell]:
    """A comparison as a row under ``COMPARISON_HEADER``."""
    return [
        task_set, key, case, item, content.form, values_cell(content.model, content.form),
        values_cell(content.reference, content.form), content.model_source,
        content.reference_source, content.imported_first,
    ]  # fmt: skip


def style_cells(task_set: str, key: str, case: str, content: style.Content) -> list[Cell]:
    """A style pair as a row under ``STYLE_HEADER``."""
    return [
        task_set, key, case, content.model_text, content.reference_text, content.model_source,
        content.reference_source, content.imported_first,
    ]  # fmt: skip


def _shown_as_a(row: Row) -> Side | None:
    side = row.cells.get("shown_as_a", "").strip().casefold()
    if side not in ("", *Side):
        raise Misfit(
            _cell(row, "shown_as_a"), f"must be model, reference or blank, and is {shown(side)}."
        )
    return Side(side) if side else None


def _day(row: Row, name: str) -> date | None:
    text = row.cells.get(name, "").strip()
    if not text:
        return None
    if _DAY.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError as error:
            raise Misfit(
                _cell(row, name), f"must be a day of the calendar, and is {shown(text)}."
            ) from error
    raise Misfit(_cell(row, name), f"must be a date like 2023-02-28, and is {shown(text)}.")


def _key(row: Row, stem: str, source: str) -> str:
    own = row.cells.get("task")
    if own is not None:
        return as_name(own.strip(), _cell(row, "task"))
    key = f"{stem}/{source}" if source else stem
    if len(key) > _LONGEST_KEY:
        key = f"{key[: _LONGEST_KEY - 13]}~{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    # A source may be a path with anything in it; a key is a name.
    return "".join(c if c.isprintable() else "_" for c in key)[:NAME_LENGTH]


def _others(row: Row) -> dict[str, object]:
    return as_object(storable_json(dict(row.others)), row.place)
