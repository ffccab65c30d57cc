"""The human checklists of a public release: values with verified evidence. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.errors import InvalidInput
from annotation.kinds.extraction import Value
from annotation.kinds.spans import Span
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_int,
    as_list,
    as_object,
    as_text,
    member,
)
from annotation.records.json_files import read_json
from annotation.records.quoting import shown
from annotation.records.report import FileReport, UnreadableFile
from annotation.records.value_quirks import count_quirks
from annotation.text.normalise import (
    NormalisedText,
    normalise_excerpt,
    normalise_text,
    storable_json,
)
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.items import ItemNames, items_of
from evaluation.releasing.readers.summaries import place_of


@dataclass(frozen=True, slots=True)
class FileSpan:
    """Evidence as the file has it: code points ``[start, end)`` of the original summary."""

    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class HumanValue:
    """One value (normalised text) and its spans, in the order of the file."""

    text: str
    spans: tuple[FileSpan, ...]


@dataclass(frozen=True, slots=True)
class HumanChecklistRecord:
    """All values of one item of one case; no values: people found the item absent.

    An item without a record was not extracted. ``item_name`` is the file's name of the item,
    ``file_metadata`` what the file says of itself.
    """

    case_id: str
    item_key: str
    item_name: str
    values: tuple[HumanValue, ...]
    file_metadata: Mapping[str, object] = field(default_factory=dict, compare=False)

    @property
    def place(self) -> str:
        """How problems name the record."""
        return f"{place_of(self.case_id)}, {shown(self.item_name)}"


@dataclass(frozen=True, slots=True)
class HumanChecklists:
    """Reads ``{metadata, results: {case_id: {item: [{value, evidences, evidences_indices}]}}}``.

    ``resolve`` gives the template's key for an item name, or None.
    """

    resolve: ResolveItem
    kind: FileKind = FileKind.HUMAN_CHECKLIST

    def read(self, path: Path, report: FileReport) -> Iterator[HumanChecklistRecord]:
        """Yield a record for each item of each case, in file order, evidence unchecked.

        :func:`checked_values` checks it against the summary. An item with anything that cannot be
        accepted becomes a problem that names case, item and value, and yields nothing.

        Counted in ``report.repairs`` and kept as they are: ``values_outer_blanks``,
        ``values_line_breaks``, ``values_without_evidence``, ``values_spans_unsorted``,
        ``values_spans_overlapping``, ``values_spans_duplicate``, ``spans_outer_blanks``,
        ``items_same_value_twice``; ``cases_without_items`` have no record. Raises
        ``UnreadableFile`` when it is no such file.
        """
        data = read_json(path, name=report.path, repairs=report.repairs)
        try:
            top = as_object(data, "")
            results = as_object(member(top, "results", ""), "results")
            metadata = as_object(storable_json(top.get("metadata", {})), "metadata")
        except Misfit as misfit:
            raise UnreadableFile(
                f"This is no file of human checklists: {misfit.place or 'it'} {misfit.message}",
                path=report.path,
            ) from misfit
        if not results:
            report.problem("results", "The file holds no checklists.")
        for case_id, items in results.items():
            for record in self._case(case_id, items, report):
                yield replace(record, file_metadata=metadata)

    def _case(
        self, case_id: str, value: object, report: FileReport
    ) -> Iterator[HumanChecklistRecord]:
        names = ItemNames(self.resolve)
        for item_name, values in items_of(case_id, value, report).items():
            repairs: Counter[str] = Counter()
            try:
                record = self._item(case_id, item_name, values, names, repairs)
            except Misfit as misfit:
                report.problem(misfit.place, misfit.message)
            else:
                report.tolerate(record.place, repairs)
                report.found.update(
                    items=1,
                    values=len(record.values),
                    spans=sum(len(value.spans) for value in record.values),
                )
                yield record

    def _item(
        self,
        case_id: str,
        item_name: str,
        value: object,
        names: ItemNames,
        repairs: Counter[str],
    ) -> HumanChecklistRecord:
        place = f"{place_of(case_id)}, {shown(item_name)}"
        item_key = names.key_for(item_name, place)
        raw = as_list(value, place)
        values = tuple(
            _value(element, f"{place}, value {number}", repairs)
            for number, element in enumerate(raw, start=1)
        )
        if len({v.text for v in values}) != len(values):
            repairs["items_same_value_twice"] += 1
        return HumanChecklistRecord(case_id, item_key, item_name, values)


def checked_values(
    record: HumanChecklistRecord, reference: NormalisedText, report: FileReport
) -> list[Value]:
    """The values of ``record`` with their evidence in offsets of the stored summary.

    ``reference`` is the stored reference summary of the case. Each quote is compared with what the
    text says at its offsets; a value with evidence that is not there becomes a problem that
    names case, item and value, and is left out.
    """
    values: list[Value] = []
    for number, value in enumerate(record.values, start=1):
        place = f"{record.place}, value {number}"
        try:
            evidence = [_located(span, reference, place) for span in value.spans]
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
        else:
            values.append(Value(text=value.text, evidence=evidence))
    return values


def _located(span: FileSpan, reference: NormalisedText, place: str) -> Span:
    try:
        start, end = reference.map_offset(span.start), reference.map_offset(span.end)
    except InvalidInput as error:
        raise Misfit(place, f"{error.message} Is it the evidence of another text?") from error
    slice_ = reference.text[start:end]
    # A quote from the very start of a text may begin with its byte order mark.
    at_start = {normalise_text(span.quote).text} if span.start == 0 else set()
    if slice_ not in {normalise_excerpt(span.quote), *at_start} or not slice_:
        raise Misfit(
            place,
            f"the summary says {shown(slice_)} at {span.start}-{span.end}, and the evidence is "
            f"{shown(span.quote)}. Import the summary that the checklist was made from.",
        )
    return Span(start=start, end=end, quote=slice_)


def _value(value: object, place: str, repairs: Counter[str]) -> HumanValue:
    raw = as_object(value, place)
    text = as_text(member(raw, "value", place), place)
    offsets = as_list(member(raw, "evidences_indices", place), f"{place}, evidences_indices")
    quotes = as_list(member(raw, "evidences", place), f"{place}, evidences")
    if len(offsets) != len(quotes):
        raise Misfit(
            place,
            f"has {len(offsets)} pairs of offsets and {len(quotes)} texts of evidence. "
            "Each text needs its pair.",
        )
    spans = tuple(
        _span(pair, quote, f"{place}, span {number}")
        for number, (pair, quote) in enumerate(zip(offsets, quotes, strict=True), start=1)
    )
    normalised = normalise_text(text)
    repairs.update(normalised.changes)
    count_quirks(
        normalised.text,
        [(span.start, span.end) for span in spans],
        [span.quote for span in spans],
        repairs,
    )
    return HumanValue(normalised.text, spans)


def _span(pair: object, quote: object, place: str) -> FileSpan:
    start, end = (as_int(offset, place) for offset in as_list(pair, place, length=2))
    if not isinstance(quote, str):
        raise Misfit(place, f"must be a text, and is {shown(quote)}.")
    if end <= start or end - start != len(quote):
        raise Misfit(
            place,
            f"the offsets {start}-{end} cannot be those of a text of {len(quote)} characters.",
        )
    return FileSpan(start, end, quote)
