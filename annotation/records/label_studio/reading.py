"""A Label Studio file as tasks: what it exports as "JSON", and lists of tasks. PURE."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from annotation.kinds import comparison, extraction, style
from annotation.kinds.comparison import Side
from annotation.records.csv_rows import COMPARISONS, comparison_rows
from annotation.records.csv_table import Columns, Row
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
from annotation.records.label_studio.names import OURS
from annotation.records.label_studio.regions import Marked, read_marks
from annotation.records.label_studio.task_data import MODEL_TEXT, comparison_data, style_texts
from annotation.records.quoting import brief, shown
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import NormalisedText, normalise_text, storable_json, storable_text

TOOL = "label-studio"
KINDS = ("comparison", "style", "extraction")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FOREIGN_PAIRS = Columns(
    what="comparison pairs",
    required=COMPARISONS.required,
    names={
        **COMPARISONS.names,
        "model_values": (*COMPARISONS.names["model_values"], "model", "model_text"),
        "reference_values": (*COMPARISONS.names["reference_values"], "reference", "reference_text"),
        "model_source": ("model_file", "source_model", "model_name"),
        "reference_source": ("reference_file", "source_reference"),
    },
)
_FOREIGN_TEXT = Columns(
    what="texts",
    required=("text",),
    names={
        "case": ("case_id", "caseid", "case_number"),
        "text": ("summary", "summary_text", "document", "content"),
        "producer": ("model", "model_name", "author"),
        "kind": ("side", "summary_kind"),
    },
)


@dataclass(frozen=True, slots=True)
class Marks:
    """One annotation (or prediction) of a text. ``who`` is its maker as the file names it."""

    who: str
    is_person: bool
    marked: Marked
    place: str
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task. ``task_set`` is empty for a foreign project. ``content`` is plain JSON of its kind.

    ``text`` is that of the summary that is asked about (of a style pair: the model's, where it is a
    stored one), with its ``side`` and ``producer`` (None when the file does not say); ``marks`` are
    what people and models marked in it. A comparison of ours names its summary by ``producer`` and
    ``original_sha256`` alone.
    """

    key: str
    place: str
    kind: str
    case_id: str
    content: dict[str, Any]
    task_set: str = ""
    position: int = 0
    item_key: str = ""
    form: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    side: Side = Side.MODEL
    producer: str | None = None
    text: NormalisedText | None = None
    original_sha256: str = ""
    marks: tuple[Marks, ...] = ()


def read_tasks(path: Path, resolve: ResolveItem, report: FileReport) -> list[TaskRecord]:
    """Read the file at ``path``; see :func:`parse_tasks`."""
    return parse_tasks(read_json(path, name=report.path, repairs=report.repairs), resolve, report)


def parse_tasks(data: object, resolve: ResolveItem, report: FileReport) -> list[TaskRecord]:
    """The tasks of a file, ours in the order of their set, others in file order.

    Tasks that Gavel exported come back as they were. Of other projects two shapes are known: two
    texts, called model and reference in the data, with an item (comparison of two values), and one
    text with regions (extraction). What cannot be a task is a problem with its place. What people
    answered to a comparison or a style pair, cancelled annotations, drafts, labels that are
    no items and whatever else has no place here is counted in ``report.repairs`` as
    ``left_out: ...``. Raises ``UnreadableFile`` when it is no file of tasks.
    """
    records: list[TaskRecord] = []
    seen: dict[tuple[str, str], str] = {}
    for number, raw in enumerate(_tasks(data, report)):
        repairs: Counter[str] = Counter()
        try:
            record = _Task(raw, number, resolve, repairs).read()
        except Misfit as misfit:
            report.problem(misfit.place, misfit.message)
            continue
        earlier = seen.setdefault((record.task_set, record.key), record.place)
        if earlier != record.place:
            report.problem(record.place, f"is the same task as {earlier}. Take one out.")
            continue
        report.tolerate(record.place, repairs)
        report.found[f"{record.kind}_tasks"] += 1
        records.append(record)
    return sorted(records, key=lambda record: (record.task_set, record.position))


def _tasks(data: object, report: FileReport) -> list[object]:
    if isinstance(data, dict) and "data" in data:
        report.repairs["a_task_alone"] += 1
        data = [data]
    try:
        listed = as_list(data, "")
    except Misfit as misfit:
        raise UnreadableFile(
            f"This is no list of Label Studio tasks: it {misfit.message} Export the project as "
            "JSON.",
            path=report.path,
        ) from misfit
    if not listed:
        report.problem("", "The file holds no tasks.")
    return listed


class _Task:
    """One task while it is read."""

    def __init__(
        self, raw: object, number: int, resolve: ResolveItem, repairs: Counter[str]
    ) -> None:
        self.number = number
        self.place = f"[{number}]"
        self.resolve = resolve
        self.repairs = repairs
        task = as_object(raw, self.place)
        if "data" not in task and {"annotation_id", "annotator"} & task.keys():
            raise Misfit(
                self.place,
                "is of the short form (JSON-MIN), which leaves out what is needed. Export the "
                "project as JSON.",
            )
        # A list of plain data is how tasks are often brought to Label Studio.
        self.task: dict[str, object] = task if "data" in task else {"data": task}
        self.id = self.task.get("id", number + 1)
        self.data = as_object(member(self.task, "data", self.place), within(self.place, "data"))

    def read(self) -> TaskRecord:
        for name in ("drafts", "comments"):
            if listed := self.task.get(name):
                self._leave_out(name, len(listed) if isinstance(listed, list) else 1)
        meta = self.task.get("meta")
        ours = meta.get(OURS) if isinstance(meta, dict) else None
        if isinstance(ours, dict) and ours.get("kind"):
            return self._ours(ours, within(within(self.place, "meta"), OURS))
        return self._foreign()

    def _leave_out(self, what: str, how_many: int = 1) -> None:
        self.repairs[f"left_out: {what}"] += how_many

    def _ours(self, ours: dict[str, object], place: str) -> TaskRecord:
        def text(name: str) -> object:
            return member(ours, name, place)

        kind = as_text(text("kind"), within(place, "kind"))
        if kind not in KINDS:
            raise Misfit(
                within(place, "kind"), f"is {shown(kind)}, and no kind that comes from here."
            )
        content = as_object(text("content"), within(place, "content"))
        record = TaskRecord(
            key=as_name(text("task"), within(place, "task")),
            place=self.place,
            kind=kind,
            case_id=as_case_id(text("case"), within(place, "case")),
            content=content,
            task_set=as_name(text("task_set"), within(place, "task_set")),
            position=as_int(text("position"), within(place, "position")),
            metadata=as_object(storable_json(ours.get("metadata") or {}), place),
        )
        if kind == "extraction":
            return self._our_extraction(record, ours, place)
        first = _side(text("shown_as_a"), within(place, "shown_as_a"))
        self._leave_answers_out(kind)
        if kind == "style":
            content = {**content, **style_texts(self.data, first)}
            self._valid(style.Content, content, place)
            if "summary" in ours:
                record = self._with_summary(record, ours, place, content[MODEL_TEXT])
            return replace(record, content=_plain(content))
        self._valid(comparison.Content, content, place)
        shown_data = comparison_data(comparison.Content.model_validate(content), first)
        if any(self.data.get(name) != value for name, value in shown_data.items()):
            raise Misfit(
                within(self.place, "data"),
                f"is not what {place} says. One of the two was changed; export the task again.",
            )
        item_place = within(place, "item")
        key = as_item_key(as_text(text("item"), item_place), self.resolve, item_place)
        if "summary" in ours:
            inside = within(place, "summary")
            about = as_object(ours["summary"], inside)
            record = replace(
                record,
                producer=as_name(member(about, "producer", inside), within(inside, "producer")),
                original_sha256=str(about.get("original_sha256", "")),
            )
        return replace(record, content=_plain(content), item_key=key, form=str(content["form"]))

    def _our_extraction(
        self, record: TaskRecord, ours: dict[str, object], place: str
    ) -> TaskRecord:
        self._valid(extraction.Content, record.content, place)
        content = extraction.Content.model_validate(record.content)
        record = self._with_summary(record, ours, place, self.data.get("text"))
        text = record.text or normalise_text("")
        for seed in content.seeds:
            if any(not span.matches(text.text) for span in seed.evidence):
                raise Misfit(place, f"a seed of {brief(seed.item_key)} is not what the text says.")
        return replace(
            record,
            content=_plain(record.content),
            marks=tuple(self._marks(text, seed_source=content.seed_source or "seeds")),
        )

    def _with_summary(
        self, record: TaskRecord, ours: dict[str, object], place: str, raw: object
    ) -> TaskRecord:
        """The record with the summary that it is about, whose text is ``raw``."""
        inside = within(place, "summary")
        about = as_object(member(ours, "summary", place), inside)
        text = self._text(raw, within(within(self.place, "data"), "text"))
        sha256 = about.get("original_sha256")
        if isinstance(sha256, str) and _SHA256.fullmatch(sha256):
            text = replace(text, original_sha256=sha256)
        return replace(
            record,
            side=_side(member(about, "kind", inside), within(inside, "kind")),
            producer=as_name(member(about, "producer", inside), within(inside, "producer")),
            text=text,
        )

    def _valid(self, model: Any, content: dict[str, object], place: str) -> None:
        try:
            model.model_validate(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise Misfit(place, f"holds no such task ({where}: {first['msg']}).") from error

    def _foreign(self) -> TaskRecord:
        pair = self._named(_FOREIGN_PAIRS)
        if {"model_values", "reference_values"} <= pair.cells.keys():
            return self._foreign_comparison(pair)
        text = self._named(_FOREIGN_TEXT)
        if "text" not in text.cells:
            fields = ", ".join(brief(name) for name in self.data) or "none"
            raise Misfit(
                within(self.place, "data"),
                "has no field called text, and no two called model and reference, so it is not "
                f"known which text is which. Rename its fields ({fields}).",
            )
        return self._foreign_extraction(text)

    def _named(self, columns: Columns) -> Row:
        """The fields of the data under the names of a table."""
        cells: dict[str, str] = {}
        others: dict[str, str] = {}
        for name, value in self.data.items():
            column = columns.column(name)
            cell = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if column is None or column in cells:
                others[storable_text(name)] = cell
            elif value is not None and cell.strip():
                cells[column] = cell
        return Row(self.number + 1, cells, others, unit="task")

    def _foreign_comparison(self, row: Row) -> TaskRecord:
        row = replace(row, cells={**row.cells, "case": self._case(row)})
        inner = FileReport("")
        pairs = comparison_rows([row], self.resolve, inner)
        for problem in inner.problems:
            raise Misfit(problem.place, problem.message)
        self.repairs.update(inner.repairs)
        self._leave_answers_out("comparison")
        content = pairs[0].content.model_dump(mode="json")
        return TaskRecord(
            key=pairs[0].key if "task" in row.cells else self._key(),
            place=self.place,
            kind="comparison",
            case_id=pairs[0].case_id,
            content=content,
            item_key=pairs[0].item_key,
            form=content["form"],
            metadata=self._about(row, item_name=pairs[0].item_name),
        )

    def _foreign_extraction(self, row: Row) -> TaskRecord:
        data_place = within(self.place, "data")
        case_id = as_case_id(self._case(row).strip(), within(data_place, "case"))
        text = self._text(row.cells["text"], within(data_place, "text"))
        producer = row.cells.get("producer", "").strip()
        kind = row.cells.get("kind", "").strip().casefold()
        if kind == "reference" or (not kind and producer.casefold() == "reference"):
            side, producer = Side.REFERENCE, "reference"
        else:
            side = Side.MODEL
        return TaskRecord(
            key=self._key(),
            place=self.place,
            kind="extraction",
            case_id=case_id,
            content=extraction.Content().model_dump(mode="json"),
            metadata=self._about(row),
            side=side,
            producer=as_name(producer, within(data_place, "producer")) if producer else None,
            text=text,
            marks=tuple(self._marks(text, seed_source=None)),
        )

    def _case(self, row: Row) -> str:
        if "case" in row.cells:
            return row.cells["case"]
        self.repairs["case_is_the_task"] += 1
        return f"{TOOL} {self.id}"

    def _key(self) -> str:
        return as_name(f"{TOOL}-{self.id}", within(self.place, "id"))

    def _about(self, row: Row, **more: object) -> dict[str, object]:
        fields = {"columns": storable_json(dict(row.others))} if row.others else {}
        return {**more, "label_studio_task": storable_json(self.id), **fields}

    def _text(self, value: object, place: str) -> NormalisedText:
        text = normalise_text(as_text(value, place))
        self.repairs.update(text.changes)
        return text

    def _entries(self, name: str) -> Iterator[tuple[dict[str, object], str]]:
        where = within(self.place, name)
        for number, raw in enumerate(as_list(self.task.get(name) or [], where)):
            if isinstance(raw, dict):
                yield raw, within(where, number)
            else:
                # An export names predictions by number unless it is asked for them.
                self._leave_out(f"{name} named by number alone")

    def _leave_answers_out(self, kind: str) -> None:
        for annotation, _ in self._entries("annotations"):
            cancelled = annotation.get("was_cancelled") is True
            self._leave_out(f"{'cancelled' if cancelled else 'answers'} to {kind} tasks")
        for _ in self._entries("predictions"):
            self._leave_out(f"predictions of {kind} tasks")

    def _marks(self, text: NormalisedText, *, seed_source: str | None) -> Iterator[Marks]:
        for annotation, place in self._entries("annotations"):
            if annotation.get("was_cancelled") is True:
                self._leave_out("cancelled annotations")
                continue
            yield self._mark(annotation, place, text, _person(annotation), is_person=True)
        for prediction, place in self._entries("predictions"):
            version = str(prediction.get("model_version") or "a model")
            if version == seed_source:
                continue  # the content of the task holds them
            yield self._mark(prediction, place, text, version, is_person=False)

    def _mark(
        self,
        entry: dict[str, object],
        place: str,
        text: NormalisedText,
        who: str,
        *,
        is_person: bool,
    ) -> Marks:
        results = within(place, "result")
        marked = read_marks(entry.get("result") or [], text, self.resolve, results)
        for what, how_many in marked.left_out.items():
            self._leave_out(what, how_many)
        self.repairs.update(marked.repairs)
        kept = ("id", "created_at", "updated_at", "lead_time", "score", "ground_truth")
        facts = {name: entry[name] for name in kept if entry.get(name) is not None}
        return Marks(
            who=as_name(f"{TOOL} {storable_text(who).strip()}", place),
            is_person=is_person,
            marked=marked,
            place=place,
            metadata=as_object(storable_json({"label_studio": facts}), place),
        )


def _person(annotation: dict[str, object]) -> str:
    """Who made an annotation: our pseudonym, if nobody changed it there, else the number there.

    Addresses are not taken over.
    """
    touched = any(
        annotation.get(name) is not None
        for name in ("updated_by", "parent_annotation", "parent_prediction")
    )
    if not touched:
        named = set()
        results = annotation.get("result")
        for result in results if isinstance(results, list) else []:
            meta = result.get("meta") if isinstance(result, dict) else None
            ours = meta.get(OURS) if isinstance(meta, dict) else None
            name = ours.get("annotator") if isinstance(ours, dict) else None
            named.add(name if isinstance(name, str) else "")
        if len(named) == 1 and (only := named.pop()).strip():
            return only
    who = annotation.get("updated_by") or annotation.get("completed_by")
    if isinstance(who, dict):
        who = who.get("id")
    return str(who) if isinstance(who, int | str) and "@" not in str(who) else "unknown"


def _side(value: object, place: str) -> Side:
    if value not in tuple(Side):
        raise Misfit(place, f"must be model or reference, and is {shown(value)}.")
    return Side(str(value))


def _plain(content: dict[str, Any]) -> dict[str, Any]:
    return as_object(storable_json(content), "content")
