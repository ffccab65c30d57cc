"""The runs of an agent over the documents of a case: a folder with four files each. PURE.

``<model>/<case>/<setting>/<part of the checklist>/`` holds ``checklist.json``, ``stats.json``,
``ledger.jsonl`` (what the agent did) and ``raw_responses.jsonl`` (what the model answered). Each
file says by its place which run it belongs to, so each can be read without the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from annotation.kinds.extraction import ItemState
from annotation.records.fields import (
    Misfit,
    ResolveItem,
    as_case_id,
    as_int,
    as_name,
    as_object,
    member,
)
from annotation.records.json_files import read_json
from annotation.records.json_lines import read_json_lines
from annotation.records.quoting import shown
from annotation.records.report import FileReport, UnreadableFile
from annotation.text.normalise import storable_json, storable_text
from evaluation.releasing.readers.discover import FileKind
from evaluation.releasing.readers.document_checklists import count_missing_parts
from evaluation.releasing.readers.extracted import (
    ExtractedChecklist,
    ExtractedItem,
    ExtractedValue,
    read_items,
)

SETTINGS = ("all", "grouped", "individual")
UNIT_LENGTH = 120
STEP_NAME_LENGTH = 120
STEP_LIMIT = 2**31 - 1
_MANY = 2**63 - 1
_NOT_APPLICABLE = re.compile(r"not applicable\.?", re.IGNORECASE)
_COUNTS = ("steps", "total_system_prompt_tokens", "total_user_prompt_tokens",
           "total_completion_tokens")  # fmt: skip


class LineKind(StrEnum):
    """What a line of a run tells. The strings are stored."""

    EVENT = "event"
    ANSWER = "answer"


def agent_method(setting: str) -> str:
    """``Checklist.method`` of what the agent extracted in a setting."""
    return f"agent {setting}"


@dataclass(frozen=True, slots=True)
class RunName:
    """Which run: of which model over which case, in which setting, for which part of the
    checklist. ``model`` and ``unit`` are names of folders."""

    case_id: str
    model: str
    setting: str
    unit: str

    @property
    def method(self) -> str:
        """How the checklist of the run's setting is told from others of the same model."""
        return agent_method(self.setting)


@dataclass(frozen=True, slots=True)
class RunChecklist:
    """What one run extracted."""

    run: RunName
    checklist: ExtractedChecklist


@dataclass(frozen=True, slots=True)
class RunStats:
    """What one run took. Counts are None where the file has none; ``content`` is all it says."""

    run: RunName
    steps: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    content: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RunLine:
    """One thing that happened in a run.

    ``step`` is the number in the file, ``name`` the tool (empty where none was called), ``text``
    what the model answered, ``content`` the line without that text, ``at`` the time with its zone
    (None where the line has none that can be read).
    """

    run: RunName
    kind: LineKind
    step: int | None
    name: str
    text: str
    content: Mapping[str, object] = field(default_factory=dict, hash=False)
    at: datetime | None = None

    def to_json(self) -> dict[str, object]:
        """All of the line, but for its run."""
        return {"step": self.step, "name": self.name, "text": self.text, "content": self.content}


@dataclass(frozen=True, slots=True)
class AgentChecklists:
    """Reads ``checklist.json``: ``{item name: {key, extracted, last_updated}}``."""

    resolve: ResolveItem
    kind: FileKind = FileKind.AGENT_CHECKLIST

    def read(self, path: Path, report: FileReport) -> Iterator[RunChecklist]:
        """Yield what the run extracted.

        "Not Applicable" is a finding and no value: ``not_applicable_values`` counts it in
        ``report.repairs``; an item with nothing else gets that state, and its metadata keep the
        value with its evidence. Beside other values (``not_applicable_beside_values``) it is kept
        in the metadata too, and the others stand. ``item_keys_differ``: the cell names itself in
        another spelling. Other repairs are those of ``DocumentChecklists``. Raises
        ``UnreadableFile`` when it is no such file.
        """
        data = read_json(path, name=report.path, repairs=report.repairs)
        run = _run_of(path, report)
        try:
            cells = as_object(data, "")
        except Misfit as misfit:
            raise _no_run(misfit, report) from misfit
        if not cells:
            report.problem("", "The file holds no items.")
        elif items := read_items(run.case_id, cells, self.resolve, report, self._change):
            report.found["run_checklists"] += 1
            yield RunChecklist(
                run, ExtractedChecklist(run.case_id, None, run.model, run.method, items)
            )

    def _change(self, item: ExtractedItem, repairs: Counter[str]) -> ExtractedItem:
        key = item.metadata.get("key", item.item_name)
        if not isinstance(key, str) or self.resolve(key) != item.item_key:
            raise Misfit(
                shown(item.item_name), f"calls itself {shown(key)}, which is another item. Which?"
            )
        if key != item.item_name:
            repairs["item_keys_differ"] += 1
        return without_not_applicable(count_missing_parts(item, repairs), repairs)


@dataclass(frozen=True, slots=True)
class AgentStats:
    """Reads ``stats.json``: steps and tokens of the run, in all and step by step."""

    kind: FileKind = FileKind.AGENT_STATS

    def read(self, path: Path, report: FileReport) -> Iterator[RunStats]:
        """Yield what the run took.

        ``stats_missing`` in ``report.repairs`` counts the sums that the file does not have,
        ``model_names_differ`` a model that is not the one of the folder. Raises ``UnreadableFile``
        when it is no such file.
        """
        data = read_json(path, name=report.path, repairs=report.repairs)
        run = _run_of(path, report)
        try:
            content = as_object(data, "")
            steps, system, user, completion = (_count(content, name) for name in _COUNTS)
        except Misfit as misfit:
            raise _no_run(misfit, report) from misfit
        if missing := sum(content.get(name) is None for name in _COUNTS):
            report.repairs["stats_missing"] += missing
        model = content.get("model")
        if isinstance(model, str) and model.rpartition("/")[2] != run.model:
            report.repairs["model_names_differ"] += 1
        report.found["run_stats"] += 1
        prompt = None if system is None or user is None else system + user
        yield RunStats(run, steps, prompt, completion, as_object(storable_json(content), ""))


@dataclass(frozen=True, slots=True)
class AgentLines:
    """Reads ``ledger.jsonl`` (``{event_name, event, run_id, step}`` a line) or
    ``raw_responses.jsonl`` (``{raw_response, parsed_action, stats, timestamp, step, ...}``)."""

    kind: FileKind

    def read(self, path: Path, report: FileReport) -> Iterator[RunLine]:
        """Yield each line, in file order, as it is read.

        Counted in ``report.repairs`` and kept in the content: ``timestamps_missing``,
        ``timestamps_unreadable``, ``timestamps_without_zone``; ``steps_missing``;
        ``events_without_name``; shortened, ``step_names_shortened``. A line that cannot be
        accepted becomes a problem that names it. Raises ``UnreadableFile`` when the file is empty,
        cut off or no such file, also after lines were yielded.
        """
        run = _run_of(path, report)
        read = _event if self.kind is FileKind.AGENT_LEDGER else _answer
        for number, value in read_json_lines(path, name=report.path, repairs=report.repairs):
            repairs: Counter[str] = Counter()
            try:
                line = read(run, as_object(value, f"line {number}"), f"line {number}", repairs)
            except Misfit as misfit:
                report.problem(misfit.place, misfit.message)
            else:
                report.tolerate(f"line {number}", repairs)
                report.found[f"run_{line.kind}s"] += 1
                yield line


def without_not_applicable(item: ExtractedItem, repairs: Counter[str]) -> ExtractedItem:
    """``item`` without values that only say that the item does not apply.

    They move to the metadata as ``not_applicable``, with the positions they had; other values stay
    in their order.
    """
    numbered = list(enumerate(item.values))
    moved = [(n, v) for n, v in numbered if _NOT_APPLICABLE.fullmatch(v.text.strip())]
    if not moved:
        return item
    repairs["not_applicable_values"] += len(moved)
    positions = {n for n, _ in moved}
    kept = tuple(value for n, value in numbered if n not in positions)
    if kept:
        repairs["not_applicable_beside_values"] += 1
    return replace(
        item,
        state=ItemState.VALUES if kept else ItemState.NOT_APPLICABLE,
        values=kept,
        metadata={**item.metadata, "not_applicable": [_moved(n, value) for n, value in moved]},
    )


def _moved(position: int, value: ExtractedValue) -> dict[str, object]:
    """A value as the file has it, with its 0-based place among the values of the item."""
    evidence = [
        {"text": quote.text, "source_document": quote.source_name, "location": quote.location}
        for quote in value.quotes
    ]
    return {**value.metadata, "value": value.text, "evidence": evidence, "position": position}


def _run_of(path: Path, report: FileReport) -> RunName:
    unit, setting, case_id, model = (parent.name for parent in list(path.parents)[:4])
    try:
        return RunName(
            as_case_id(case_id, "the name of the folder of the case"),
            as_name(model, "the name of the folder of the model"),
            _setting(setting),
            as_name(unit, "the name of its folder", longest=UNIT_LENGTH),
        )
    except Misfit as misfit:
        raise _no_run(misfit, report) from misfit


def _setting(name: str) -> str:
    if name not in SETTINGS:
        raise Misfit("the folder above", f"is {shown(name)}, and none of {', '.join(SETTINGS)}.")
    return name


def _no_run(misfit: Misfit, report: FileReport) -> UnreadableFile:
    return UnreadableFile(
        f"This is no file of a run of the agent: {misfit.place or 'it'} {misfit.message}",
        path=report.path,
    )


def _count(content: dict[str, object], name: str) -> int | None:
    value = content.get(name)
    return None if value is None else as_int(value, name, high=_MANY // 2)


def _event(run: RunName, line: dict[str, object], place: str, repairs: Counter[str]) -> RunLine:
    event = as_object(member(line, "event", place), f"{place}, event")
    name = _name(line.get("event_name"), place, repairs)
    if not name:
        repairs["events_without_name"] += 1
    return RunLine(
        run=run,
        kind=LineKind.EVENT,
        step=_step(line, place, repairs),
        name=name,
        text="",
        content=as_object(storable_json(line), place),
        at=_moment(event.get("timestamp"), repairs),
    )


def _answer(run: RunName, line: dict[str, object], place: str, repairs: Counter[str]) -> RunLine:
    text = member(line, "raw_response", place)
    if not isinstance(text, str):
        raise Misfit(f"{place}, raw_response", f"must be a text, and is {shown(text)}.")
    action = line.get("parsed_action")
    action = action if isinstance(action, dict) else {}
    rest = {name: value for name, value in line.items() if name != "raw_response"}
    return RunLine(
        run=run,
        kind=LineKind.ANSWER,
        step=_step(line, place, repairs),
        name=_name(action.get("tool") or action.get("decision"), place, repairs),
        text=storable_text(text),
        content=as_object(storable_json(rest), place),
        at=_moment(line.get("timestamp"), repairs),
    )


def _name(value: object, place: str, repairs: Counter[str]) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        raise Misfit(place, f"the name of a tool must be a text, and is {shown(value)}.")
    if len(value) > STEP_NAME_LENGTH:
        repairs["step_names_shortened"] += 1
        value = value[: STEP_NAME_LENGTH - 3] + "..."
    return storable_text(value)


def _step(line: dict[str, object], place: str, repairs: Counter[str]) -> int | None:
    value = line.get("step")
    if value is None:
        repairs["steps_missing"] += 1
        return None
    return as_int(value, f"{place}, step", high=STEP_LIMIT)


def _moment(value: object, repairs: Counter[str]) -> datetime | None:
    if value is None:
        repairs["timestamps_missing"] += 1
        return None
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
        if moment.tzinfo is None:
            repairs["timestamps_without_zone"] += 1
            return None
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        repairs["timestamps_unreadable"] += 1
        return None
