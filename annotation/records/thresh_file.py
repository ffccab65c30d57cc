"""The paragraph tool's file of one summary, with a model's values as edits. PURE.

One JSON list, a paragraph an element. ``target`` is the whole summary and the same in all of them;
``target_paragraph_indices`` is the place of the paragraph in it. ``edits`` are values:
``category`` is the item, ``annotation.explanation`` the value, ``output_idx`` the places of its
evidence in ``target``. A file that came out of the tool also has ``_thresh_id``, maybe
``bookmark`` and ``comment``, and edits that people added: these have no
``annotation.checklist_item``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.errors import InvalidInput
from annotation.kinds.spans import Span
from annotation.records.fields import (
    Misfit,
    ResolveItem,
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
from annotation.records.pair_tables import no_such_file, unknown_fields
from annotation.records.quoting import shown
from annotation.records.report import FileReport
from annotation.records.value_quirks import count_quirks
from annotation.text.normalise import (
    NormalisedText,
    normalise_text,
    storable_json,
)

WHAT = "annotation paragraphs"
FIELDS = (
    "id",
    "metadata",
    "source",
    "target",
    "target_paragraph",
    "target_paragraph_indices",
    "edits",
)
"""The keys of a paragraph, in the order in which the tool writes them."""
TOOL_FIELDS = ("_thresh_id", "bookmark", "comment")
"""The keys that the tool adds."""
OWN_FIELD = "_gavel"
"""The key under which our export says who answered; it says nothing to a reader."""
METADATA_FIELDS = (
    "case_id",
    "paragraph_num",
    "total_paragraphs",
    "model",
    "paragraph_text_preview",
)
EDIT_FIELDS = ("category", "output_idx", "annotation", "id")
ANNOTATION_FIELDS = ("explanation", "checklist_item", "spans_paragraphs")
PREVIEW = 100


@dataclass(frozen=True, slots=True)
class ThreshEdit:
    """One value of a paragraph.

    ``category`` and ``item_name`` are the file's names of the item; ``item_name`` is None for a
    value that a person added. ``number`` is the file's id of it. ``spans`` are offsets into the
    stored text, in the order of the file. ``paragraphs`` are the numbers of the paragraphs that
    the file says it touches, or None. ``fields`` are fields that the format does not know.
    """

    category: str
    item_key: str
    item_name: str | None
    number: int
    text: str
    spans: tuple[Span, ...]
    paragraphs: tuple[int, ...] | None
    fields: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def is_added(self) -> bool:
        """Whether a person added it in the tool."""
        return self.item_name is None


@dataclass(frozen=True, slots=True)
class ThreshParagraph:
    """One paragraph: ``[start, end)`` of the stored text, ``number`` counts from 0.

    ``place`` is how problems name it. ``metadata`` is what the file has under that name, ``tool``
    what the tool added (empty in a file that never was there), ``fields`` what the format does not
    know.
    """

    key: str
    number: int
    count: int
    start: int
    end: int
    place: str
    edits: tuple[ThreshEdit, ...]
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    tool: Mapping[str, object] = field(default_factory=dict, hash=False)
    fields: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ThreshSummary:
    """One file: a case's summary with the values that ``model`` found in it."""

    case_id: str
    model: str
    target: NormalisedText
    paragraphs: tuple[ThreshParagraph, ...]

    @property
    def was_in_the_tool(self) -> bool:
        """Whether people may have changed the model's values: the tool wrote the file."""
        return any(paragraph.tool for paragraph in self.paragraphs)


def read_thresh(path: Path, resolve: ResolveItem, report: FileReport) -> ThreshSummary | None:
    """Read the file at ``path``; see :func:`parse_thresh`.

    Raises ``UnreadableFile`` when it cannot be read as JSON or is no file of paragraphs.
    """
    return parse_thresh(read_json(path, name=report.path, repairs=report.repairs), resolve, report)


def parse_thresh(data: object, resolve: ResolveItem, report: FileReport) -> ThreshSummary | None:
    """Turn the parsed file into a record; None when not one paragraph could be read.

    ``resolve`` gives the template's key for a name of an item, or None. The first paragraph says
    which case, model and summary the file is about; a paragraph that says otherwise, or that
    cannot be accepted, becomes a problem of ``report`` with its place, and the others are read.

    ``report.found`` counts ``paragraphs``, ``values``, ``spans``, ``paragraphs_without_values``,
    ``values_in_several_paragraphs`` and ``values_added_by_people``. Counted in ``report.repairs``
    and kept as they are: the quirks of :func:`annotation.records.value_quirks.count_quirks`,
    ``items_same_value_twice``, changes of text, ``spans_across_paragraphs``, and where the file
    contradicts itself ``spans_paragraphs_differ``, ``values_of_other_paragraphs``,
    ``ids_out_of_order``, ``paragraph_numbers_out_of_order``, ``paragraph_counts_differ``.
    Raises ``UnreadableFile`` when ``data`` is no file of paragraphs.
    """
    try:
        elements = as_list(data, "")
        if elements:
            first = as_object(elements[0], "[0]")
            for name in ("id", "target", "edits"):
                member(first, name, "[0]")
    except Misfit as misfit:
        raise no_such_file(misfit, WHAT, report) from misfit
    if not elements:
        report.problem("", "The file holds no paragraphs.")
        return None
    return _Reading(resolve, report).summary(elements)


def touched(spans: Iterable[tuple[int, int]], bounds: Sequence[tuple[int, int]]) -> list[int]:
    """The positions of the paragraphs at ``bounds`` that ``spans`` touch, ascending.

    >>> touched([(3, 5), (11, 12)], [(0, 4), (4, 10), (10, 20)])
    [0, 1, 2]
    """
    spans = list(spans)
    return [
        number
        for number, (start, end) in enumerate(bounds)
        if any(s < end and e > start for s, e in spans)
    ]


def preview(paragraph: str) -> str:
    """The start of a paragraph, as the format has it."""
    return paragraph[:PREVIEW] + ("..." if len(paragraph) > PREVIEW else "")


class _Reading:
    """The reading of one file."""

    def __init__(self, resolve: ResolveItem, report: FileReport) -> None:
        self.resolve = resolve
        self.report = report
        self.raw_target = ""
        self.target = NormalisedText("", "")
        self.case_id = self.model = ""

    def summary(self, elements: list[object]) -> ThreshSummary | None:
        paragraphs: list[ThreshParagraph] = []
        seen: dict[str, str] = {}
        for position, element in enumerate(elements):
            repairs: Counter[str] = Counter()
            place = f"[{position}]"
            try:
                raw = as_object(element, place)
                if not self.case_id:
                    self._take(raw, place)
                paragraph = self._paragraph(raw, place, len(elements), repairs)
                _refuse_again(paragraph, seen)
            except Misfit as misfit:
                self.report.problem(misfit.place, misfit.message)
                continue
            if paragraph.number != position:
                repairs["paragraph_numbers_out_of_order"] += 1
            self.report.tolerate(place, repairs)
            paragraphs.append(paragraph)
        if not paragraphs:
            return None
        self.report.tolerate("target", self.target.changes)
        self._count(paragraphs)
        return ThreshSummary(self.case_id, self.model, self.target, tuple(paragraphs))

    def _take(self, raw: dict[str, object], place: str) -> None:
        """What the file is about, from its first paragraph."""
        metadata = as_object(member(raw, "metadata", place), within(place, "metadata"))
        inside = within(place, "metadata")
        case_id = as_case_id(member(metadata, "case_id", inside), within(inside, "case_id"))
        model = as_name(member(metadata, "model", inside), within(inside, "model"))
        self.raw_target = as_text(member(raw, "target", place), within(place, "target"))
        self.target = normalise_text(self.raw_target)
        self.case_id, self.model = case_id, model

    def _paragraph(
        self, raw: dict[str, object], place: str, length: int, repairs: Counter[str]
    ) -> ThreshParagraph:
        key = as_name(member(raw, "id", place), within(place, "id"))
        inside = within(place, "metadata")
        metadata = as_object(member(raw, "metadata", place), inside)
        for name, expected in (("case_id", self.case_id), ("model", self.model)):
            if member(metadata, name, inside) != expected:
                raise Misfit(
                    within(inside, name),
                    f"is {shown(metadata[name])}, and that of the first paragraph is "
                    f"{shown(expected)}. A file is about one case and one model: split it.",
                )
        if member(raw, "target", place) != self.raw_target:
            raise Misfit(
                within(place, "target"),
                "is not the summary of the first paragraph, so the offsets are those of another "
                "text. Get the file again.",
            )
        number = as_int(member(metadata, "paragraph_num", inside), within(inside, "paragraph_num"))
        count = as_int(
            member(metadata, "total_paragraphs", inside), within(inside, "total_paragraphs"), low=1
        )
        if count != length:
            repairs["paragraph_counts_differ"] += 1
        start, end = self._bounds(raw, place)
        edits_place = within(place, "edits")
        edits = tuple(
            self._edit(edit, within(edits_place, i), repairs)
            for i, edit in enumerate(as_list(member(raw, "edits", place), edits_place))
        )
        numbers = [edit.number for edit in edits if not edit.is_added]
        if numbers != list(range(len(numbers))):
            repairs["ids_out_of_order"] += 1
        return ThreshParagraph(
            key=key,
            number=number,
            count=count,
            start=start,
            end=end,
            place=place,
            edits=edits,
            metadata=as_object(storable_json(metadata), inside),
            tool={n: storable_json(raw[n]) for n in TOOL_FIELDS if n in raw},
            fields=self._fields(raw),
        )

    def _fields(self, raw: dict[str, object]) -> dict[str, object]:
        others = unknown_fields(raw, (*FIELDS, *TOOL_FIELDS, OWN_FIELD))
        if raw.get("source", "") != "":
            others["source"] = storable_json(raw["source"])
        return others

    def _bounds(self, raw: dict[str, object], place: str) -> tuple[int, int]:
        inside = within(place, "target_paragraph_indices")
        start, end = self._offsets(member(raw, "target_paragraph_indices", place), inside)
        text = member(raw, "target_paragraph", place)
        if self.raw_target[start:end] != text:
            raise Misfit(
                inside,
                f"the summary says {shown(self.raw_target[start:end])} at {start}-{end}, and "
                f"target_paragraph is {shown(text)}. Get the file again.",
            )
        return self._mapped(start, end, inside)

    def _edit(self, value: object, place: str, repairs: Counter[str]) -> ThreshEdit:
        raw = as_object(value, place)
        inside = within(place, "annotation")
        annotation = as_object(member(raw, "annotation", place), inside)
        category = as_name(member(raw, "category", place), within(place, "category"))
        item_name = None
        if "checklist_item" in annotation:
            name_place = within(inside, "checklist_item")
            item_name = as_name(annotation["checklist_item"], name_place)
        item_key = self._item_key(category, item_name, place)
        number = as_int(member(raw, "id", place), within(place, "id"))
        explanation = within(inside, "explanation")
        text = normalise_text(as_text(member(annotation, "explanation", inside), explanation))
        if not text.text:
            raise Misfit(explanation, "must say something. Fill it in or take the value out.")
        repairs.update(text.changes)
        spans_place = within(place, "output_idx")
        spans = tuple(
            self._span(pair, within(spans_place, i))
            for i, pair in enumerate(as_list(member(raw, "output_idx", place), spans_place))
        )
        count_quirks(
            text.text, [(s.start, s.end) for s in spans], [s.quote for s in spans], repairs
        )
        fields = {
            "edit": unknown_fields(raw, EDIT_FIELDS),
            "annotation": unknown_fields(annotation, ANNOTATION_FIELDS),
        }
        return ThreshEdit(
            category=category,
            item_key=item_key,
            item_name=item_name,
            number=number,
            text=text.text,
            spans=spans,
            paragraphs=_numbers(annotation, inside),
            fields={name: others for name, others in fields.items() if others},
        )

    def _item_key(self, category: str, item_name: str | None, place: str) -> str:
        key = named = as_item_key(category, self.resolve, within(place, "category"))
        if item_name is not None:
            named = as_item_key(item_name, self.resolve, within(place, "annotation"))
        if key != named:
            raise Misfit(
                within(place, "category"),
                f"is {shown(category)}, and checklist_item is {shown(item_name)}: these are two "
                "items. Correct one.",
            )
        return key

    def _span(self, pair: object, place: str) -> Span:
        start, end = self._mapped(*self._offsets(pair, place), place)
        return Span(start=start, end=end, quote=self.target.text[start:end])

    def _offsets(self, pair: object, place: str) -> tuple[int, int]:
        start, end = (
            as_int(offset, within(place, i))
            for i, offset in enumerate(as_list(pair, place, length=2))
        )
        if not start < end <= len(self.raw_target):
            raise Misfit(
                place,
                f"{start}-{end} is no part of the summary, which has "
                f"{len(self.raw_target):,} characters. Is it the evidence of another text?",
            )
        return start, end

    def _mapped(self, start: int, end: int, place: str) -> tuple[int, int]:
        try:
            mapped = self.target.map_offset(start), self.target.map_offset(end)
        except InvalidInput as error:
            raise Misfit(place, error.message) from error
        if mapped[0] >= mapped[1]:
            raise Misfit(place, f"{start}-{end} holds nothing but half of a line end.")
        return mapped

    def _count(self, paragraphs: list[ThreshParagraph]) -> None:
        found, repairs = self.report.found, self.report.repairs
        bounds = [(paragraph.start, paragraph.end) for paragraph in paragraphs]
        numbers = [paragraph.number for paragraph in paragraphs]
        values: dict[str, list[str]] = {}
        counts: Counter[str] = Counter(paragraphs=len(paragraphs))
        for paragraph in paragraphs:
            counts["paragraphs_without_values"] += not paragraph.edits
            for edit in paragraph.edits:
                values.setdefault(edit.item_key, []).append(edit.text)
                offsets = [(span.start, span.end) for span in edit.spans]
                hit = [numbers[i] for i in touched(offsets, bounds)]
                counts.update(
                    values=1,
                    spans=len(offsets),
                    values_added_by_people=int(edit.is_added),
                    values_in_several_paragraphs=int(len(hit) > 1),
                )
                across = sum(len(touched([pair], bounds)) > 1 for pair in offsets)
                quirks = {
                    "spans_across_paragraphs": across,
                    "spans_paragraphs_differ": _differ(edit, hit),
                    "values_of_other_paragraphs": bool(offsets)
                    and not _holds(paragraph, min(offsets)[0]),
                }
                repairs.update({kind: int(n) for kind, n in quirks.items() if n})
        twice = sum(len(set(texts)) != len(texts) for texts in values.values())
        repairs.update({"items_same_value_twice": twice} if twice else {})
        found.update({kind: n for kind, n in counts.items() if n})


def _refuse_again(paragraph: ThreshParagraph, seen: dict[str, str]) -> None:
    earlier = seen.setdefault(paragraph.key, paragraph.place)
    if earlier != paragraph.place:
        raise Misfit(
            within(paragraph.place, "id"),
            f"is {shown(paragraph.key)}, and so is {earlier}.id. Take one out.",
        )


def _differ(edit: ThreshEdit, hit: list[int]) -> bool:
    """Whether the file says other paragraphs than the evidence touches; added values say none."""
    expected = tuple(hit) if len(hit) > 1 else None
    return not edit.is_added and edit.paragraphs != expected


def _holds(paragraph: ThreshParagraph, offset: int) -> bool:
    return paragraph.start <= offset < paragraph.end


def _numbers(annotation: dict[str, object], place: str) -> tuple[int, ...] | None:
    inside = within(place, "spans_paragraphs")
    value = annotation.get("spans_paragraphs")
    if value is None:
        return None
    return tuple(as_int(n, within(inside, i)) for i, n in enumerate(as_list(value, inside)))
