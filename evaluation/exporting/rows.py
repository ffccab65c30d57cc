"""What is checked of a row; answers as rows of a table or as the original tool has them. PURE."""

from __future__ import annotations

import re
import uuid
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from annotation.errors import InvalidInput
from annotation.kinds import comparison, extraction, residual, style
from annotation.kinds.comparison import ListAnswer, Side, SingleAnswer
from annotation.records.answer_files import Frame, answer_file
from annotation.records.comparison_answer import OriginalAnswer, original_answer
from annotation.records.style_answer import style_annotation, style_order
from annotation.text.csv_text import Cell
from evaluation.exporting.bundle import ItemVerdictRow, moment_text
from evaluation.exporting.writers import canonical_line

SKIPPED, FLAGGED, DRAFTS, SUPERSEDED = "skipped", "flagged", "drafts", "superseded"
INCLUDE = (SKIPPED, FLAGGED, DRAFTS, SUPERSEDED)
"""What the tables leave out unless it is asked for."""

NO_SESSION = uuid.UUID(int=0)
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of text as somebody stored it, and where it is said to stand."""

    where: str
    start: int
    end: int
    quote: str

    def fault(self, text: str) -> str:
        """What is wrong with it in ``text``; empty when nothing is."""
        found = text[self.start : self.end]
        if self.start < self.end and found == self.quote:
            return ""
        return (
            f"{self.where}: the quote at {self.start}-{self.end} is not what the text says there "
            f"(stored {self.quote[:40]!r}, text {found[:40]!r})"
        )


def quotes_of(kind: str, content: dict[str, Any], payload: dict[str, Any] | None) -> list[Quote]:
    """The quotes in a task (``payload`` None) or in an answer to it.

    Raises ``InvalidInput`` when it does not have the shape of its kind.
    """
    try:
        if kind == "residual" and payload is None:
            spans = residual.Content.model_validate(content).spans
            return [Quote(f"span {i + 1}", s.start, s.end, s.quote) for i, s in enumerate(spans)]
        if kind == "extraction" and payload is None:
            return list(_seeds(extraction.Content.model_validate(content)))
        if kind == "extraction" and payload is not None:
            return list(_evidence(extraction.parse_answer(payload)))
    except ValidationError as error:
        raise InvalidInput(first_fault(error)) from error
    return []


def _seeds(content: extraction.Content) -> Iterator[Quote]:
    for number, seed in enumerate(content.seeds, 1):
        for span in seed.evidence:
            yield Quote(f"seed {number}", span.start, span.end, span.quote)


def _evidence(answer: extraction.Answer) -> Iterator[Quote]:
    for key, item in answer.sorted_items:
        for number, value in enumerate(item.values, 1):
            for span in value.evidence:
                yield Quote(f"{key}, value {number}", span.start, span.end, span.quote)


def check_payload(
    kind: str,
    content: dict[str, Any],
    payload: dict[str, Any],
    *,
    text: str | None,
    item_keys: frozenset[str],
    many_to_many: bool,
) -> None:
    """Ask the kind itself whether ``payload`` answers ``content``. ``text`` is the task's summary.

    Raises ``InvalidInput`` with the reason.
    """
    try:
        if kind == "comparison":
            comparison.check_answer(
                comparison.parse_answer(payload),
                comparison.Content.model_validate(content),
                many_to_many=many_to_many,
            )
        elif kind == "extraction":
            if text is None:
                raise InvalidInput("its task names no summary, so its evidence cannot be checked")
            answer = extraction.parse_answer(payload)
            extraction.check_answer(answer, item_keys=item_keys, text=text)
        elif kind == "residual":
            residual.check_answer(
                residual.parse_answer(payload), residual.Content.model_validate(content)
            )
        else:
            style.check_answer(style.parse_answer(payload))
    except ValidationError as error:
        raise InvalidInput(first_fault(error)) from error


def verdict_fault(row: ItemVerdictRow) -> str:
    """What is wrong with the answer in an item's verdict; empty when nothing is.

    Its form is the row's, and no index is beyond a list whose length is known. A value need not be
    settled: a judge may have forgotten it where nobody knows the length.
    """
    try:
        answer = comparison.parse_answer(row.payload)
    except ValidationError as error:
        return f"its answer is none: {first_fault(error)}"
    if answer.form != row.form:
        return f"its answer has the form {answer.form}, and it says {row.form or 'none'}"
    if isinstance(answer, SingleAnswer):
        return ""
    for side, size, matched, only in (
        (Side.MODEL, row.n_model, {m for m, _ in answer.pairs}, answer.only_model),
        (Side.REFERENCE, row.n_reference, {r for _, r in answer.pairs}, answer.only_reference),
    ):
        named = matched.union(only)
        if size is not None and named and max(named) >= size:
            return f"its answer names value {max(named)} (from 0), and the {side} list has {size}"
        if matched.intersection(only) or len(set(only)) != len(only):
            return f"its answer names a value of the {side} twice"
    return ""


def first_fault(error: ValidationError) -> str:
    """The first thing that pydantic found, with its place."""
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else str(fault["msg"])


@dataclass(frozen=True, slots=True)
class Given:
    """One answer (or one draft, whose ``version`` is None) with what it answers.

    ``state`` is submitted, skipped or draft; ``at`` when it was submitted, or the draft changed.
    ``payload`` is the answer, or the draft as it stands; ``summary`` the producer of the summary
    that is asked about.
    """

    task_set: str
    kind: str
    task: str
    position: int
    case: str
    item_key: str
    item_name: str
    content: dict[str, Any]
    annotator: str
    round: int
    version: int | None
    is_current: bool
    state: str
    at: datetime
    first_side: str
    payload: dict[str, Any] | None
    flagged: bool
    comment: str
    active_seconds: float
    wall_seconds: float
    flag_reason: str = ""
    skip_reason: str = ""
    template: str = ""
    guideline: int | None = None
    source_pair_idx: int | None = None
    summary: str | None = None
    session: uuid.UUID = field(default=NO_SESSION)

    def needs(self) -> frozenset[str]:
        """The names of ``INCLUDE`` that must all be asked for if this row is to be written."""
        draft = self.version is None
        return frozenset(
            name
            for name, applies in (
                (SKIPPED, self.state == SKIPPED),
                (FLAGGED, self.flagged),
                (DRAFTS, draft),
                (SUPERSEDED, not draft and not self.is_current),
            )
            if applies
        )


HEADER = (
    "task_set", "kind", "task", "position", "case", "item", "annotator", "round", "version",
    "current", "state", "submitted_at", "shown_as_a", "relation", "pairs", "only_model",
    "only_reference", *style.ASPECTS, "answer", "flagged", "flag_reason", "comment", "skip_reason",
    "active_seconds", "wall_seconds", "template", "guideline",
)  # fmt: skip
"""Columns of ``answers.csv``. Positions inside ``pairs`` and ``only_...`` count from 0."""


def answer_cells(given: Given) -> list[Cell]:
    """One row of ``answers.csv``."""
    answer = given.payload or {}
    is_answer = given.version is not None
    lists = ("pairs", "only_model", "only_reference")
    ratings = answer.get("ratings", {}) if given.kind == "style" and is_answer else {}
    return [
        given.task_set, given.kind, given.task, given.position, given.case, given.item_key,
        given.annotator, given.round, given.version, given.is_current, given.state,
        moment_text(given.at), given.first_side,
        answer.get("relation"),
        *(compact(answer[name]) if is_answer and name in answer else None for name in lists),
        *(ratings.get(aspect) for aspect in style.ASPECTS),
        compact(given.payload) if given.payload is not None else None,
        given.flagged, given.flag_reason, given.comment, given.skip_reason,
        given.active_seconds, given.wall_seconds, given.template, given.guideline,
    ]  # fmt: skip


def compact(value: object) -> str:
    """A value as JSON in a cell."""
    return canonical_line(value).decode().rstrip("\n")


def original_record(given: Given, time_zone: str) -> dict[str, object]:
    """An answer to a comparison or style task as the original tool of its kind writes it.

    Raises ``InvalidInput`` when both sides name the same source.
    """
    if given.kind == "style":
        return _style_record(given, time_zone)
    answer: SingleAnswer | ListAnswer | None = None
    if given.state != SKIPPED:
        answer = comparison.parse_answer(given.payload)
    record = OriginalAnswer(
        username=given.annotator,
        session_id=str(given.session),
        timestamp=local(given.at, time_zone),
        index=given.position - 1,
        case_id=given.case,
        item_name=given.item_name,
        source_pair_idx=given.source_pair_idx,
        first=Side(given.first_side),
        answer=answer,
        has_problem=given.flagged,
        feedback=given.comment,
        seconds=round(given.active_seconds),
    )
    return original_answer(record, comparison.Content.model_validate(given.content))


def _style_record(given: Given, time_zone: str) -> dict[str, object]:
    answer = None if given.state == SKIPPED else style.parse_answer(given.payload)
    content = style.Content.model_validate(given.content)
    frame = Frame(
        username=given.annotator,
        session_id=str(given.session),
        timestamp=zoned(given.at, time_zone).isoformat(),
        index=given.position - 1,
        key=given.case,
        order=style_order(content, Side(given.first_side)),
        has_problem=given.flagged,
        feedback=given.comment,
        seconds=round(given.active_seconds),
    )
    return answer_file(frame, None if answer is None else style_annotation(answer))


def local(moment: datetime, time_zone: str) -> datetime:
    """A moment in the study's zone, without the zone, as the original tool has it."""
    return zoned(moment, time_zone).replace(tzinfo=None)


def zoned(moment: datetime, time_zone: str) -> datetime:
    """A moment in the study's zone (UTC for a zone that is not known)."""
    try:
        zone = zoneinfo.ZoneInfo(time_zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        zone = zoneinfo.ZoneInfo("UTC")
    return moment.astimezone(zone)


class FileNames:
    """Names of files in one folder, each given once (also where upper and lower case are one)."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, stem: str, suffix: str = ".json") -> str:
        """``stem`` made safe for every file system, and numbered if it is taken."""
        return self.once(_NOT_IN_A_NAME.sub("-", stem).lstrip(".")[:180] or "unnamed", suffix)

    def once(self, stem: str, suffix: str = ".json") -> str:
        """``stem``, which is safe (it may be a path), numbered if it is taken."""
        name, number = f"{stem}{suffix}", 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{stem}_{number}{suffix}"
        self._taken.add(name.casefold())
        return name
