"""The comparison interface's record of one answer: written for export, and read back. PURE.

The original counts from 1 and speaks of A and B as they were shown; ``order`` names the sources of
A and B. A skipped pair has ``{"skipped": true}`` for an annotation, and neither flag nor feedback
unless there is something to keep in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.errors import InvalidInput
from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    ShownRelation,
    Side,
    SingleAnswer,
    as_shown,
    check_answer,
    orient,
)
from annotation.records.answer_files import Frame, answer_file
from annotation.records.fields import (
    Misfit,
    as_bool,
    as_int,
    as_list,
    as_name,
    as_object,
    as_text,
    member,
    within,
)
from annotation.records.quoting import shown
from annotation.records.report import UnreadableFile

_WORDS = {
    ShownRelation.EQUAL: "A equals B",
    ShownRelation.A_CONTAINS_B: "A contains B",
    ShownRelation.B_CONTAINS_A: "B contains A",
    ShownRelation.DIFFERENT: "A and B are different",
}
_RELATIONS = {words: relation for relation, words in _WORDS.items()}


@dataclass(frozen=True, slots=True)
class OriginalAnswer:
    """What the original stores with an answer.

    ``timestamp`` is local time without a zone. ``index`` is the 0-based position of the pair,
    ``first`` the side that was shown as A, ``answer`` None for a skipped pair, ``seconds`` the
    time spent.
    """

    username: str
    session_id: str
    timestamp: datetime
    index: int
    case_id: str
    item_name: str
    source_pair_idx: int | None
    first: Side
    answer: SingleAnswer | ListAnswer | None
    has_problem: bool = False
    feedback: str = ""
    seconds: int = 0


def original_answer(record: OriginalAnswer, content: Content) -> dict[str, object]:
    """The answer in the original shape, ready for ``json.dumps``.

    Raises ``InvalidInput`` when both sides name the same source, since then the order could
    not be read back.
    """
    sources = _sources(content)
    frame = Frame(
        username=record.username,
        session_id=record.session_id,
        timestamp=record.timestamp.replace(tzinfo=None).isoformat(),
        index=record.index,
        key={
            "case_id": record.case_id,
            "checklist_item": record.item_name,
            "source_pair_idx": record.source_pair_idx,
        },
        order=(sources[record.first], sources[record.first.other]),
        has_problem=record.has_problem,
        feedback=record.feedback,
        seconds=record.seconds,
    )
    answer = record.answer
    return answer_file(frame, None if answer is None else _annotation(answer, record.first))


def read_original_answer(data: object, content: Content, *, name: str) -> OriginalAnswer:
    """Read one record of the file called ``name`` back; ``content`` is the pair it answers.

    Raises ``UnreadableFile`` with the place when something is missing, of the wrong type, out of
    range, or does not settle the pair.
    """
    try:
        return _read(as_object(data, ""), content)
    except Misfit as misfit:
        raise UnreadableFile(misfit.message, path=name, place=misfit.place) from misfit
    except InvalidInput as error:
        raise UnreadableFile(error.message, path=name, place="annotation") from error


def _read(data: dict[str, object], content: Content) -> OriginalAnswer:
    key = as_object(member(data, "key", ""), "key")
    index = member(key, "source_pair_idx", "key")
    first = _first(member(data, "order", ""), content)
    answer = _answer(as_object(member(data, "annotation", ""), "annotation"), first)
    if answer is not None:
        check_answer(answer, content)
    return OriginalAnswer(
        username=as_name(member(data, "username", ""), "username"),
        session_id=as_name(member(data, "session_id", ""), "session_id"),
        timestamp=_moment(member(data, "timestamp", "")),
        index=as_int(member(data, "index", ""), "index"),
        case_id=as_name(member(key, "case_id", "key"), "key.case_id"),
        item_name=as_name(member(key, "checklist_item", "key"), "key.checklist_item"),
        source_pair_idx=None if index is None else as_int(index, "key.source_pair_idx"),
        first=first,
        answer=answer,
        has_problem=as_bool(data.get("has_problem", False), "has_problem"),
        feedback=_feedback(data.get("feedback", "")),
        seconds=as_int(member(data, "time_spent_seconds", ""), "time_spent_seconds"),
    )


def _sources(content: Content) -> dict[Side, str]:
    return {Side.MODEL: content.model_source, Side.REFERENCE: content.reference_source}


def _annotation(answer: SingleAnswer | ListAnswer, first: Side) -> dict[str, object]:
    if isinstance(answer, SingleAnswer):
        return {"type": "string", "relationship": _WORDS[as_shown(answer.relation, first)]}
    model_first = first is Side.MODEL
    pairs = sorted((m, r) if model_first else (r, m) for m, r in answer.pairs)
    only_a = answer.only_model if model_first else answer.only_reference
    only_b = answer.only_reference if model_first else answer.only_model
    return {
        "type": "list",
        "matches": {
            "common": [{"A_index": a + 1, "B_index": b + 1} for a, b in pairs],
            "only_in_A": [i + 1 for i in only_a],
            "only_in_B": [i + 1 for i in only_b],
        },
    }


def _first(value: object, content: Content) -> Side:
    order = as_list(value, "order", length=2)
    sources = _sources(content)
    for side in Side:
        if order == [sources[side], sources[side.other]] and order[0] != order[1]:
            return side
    raise Misfit("order", "does not name the two sources of this pair. It belongs to another file.")


def _answer(annotation: dict[str, object], first: Side) -> SingleAnswer | ListAnswer | None:
    if annotation.get("skipped") is True:
        return None
    form = member(annotation, "type", "annotation")
    if form == "string":
        words = member(annotation, "relationship", "annotation")
        if not isinstance(words, str) or words not in _RELATIONS:
            allowed = ", ".join(f'"{known}"' for known in _RELATIONS)
            raise Misfit("annotation.relationship", f"must be {allowed}, and is {shown(words)}.")
        return SingleAnswer(relation=orient(_RELATIONS[words], first))
    if form == "list":
        matches = member(annotation, "matches", "annotation")
        return _matching(as_object(matches, "annotation.matches"), first)
    raise Misfit("annotation.type", f'must be "string" or "list", and is {shown(form)}.')


def _matching(matches: dict[str, object], first: Side) -> ListAnswer:
    place = "annotation.matches"
    pairs: list[tuple[int, int]] = []
    common_place = within(place, "common")
    for i, match in enumerate(as_list(member(matches, "common", place), common_place)):
        match_place = within(common_place, i)
        both = as_object(match, match_place)
        a, b = (
            as_int(member(both, key, match_place), within(match_place, key), low=1) - 1
            for key in ("A_index", "B_index")
        )
        pairs.append((a, b) if first is Side.MODEL else (b, a))
    only_a, only_b = (_only(matches, key) for key in ("only_in_A", "only_in_B"))
    return ListAnswer(
        pairs=sorted(pairs),
        only_model=only_a if first is Side.MODEL else only_b,
        only_reference=only_b if first is Side.MODEL else only_a,
    )


def _only(matches: dict[str, object], key: str) -> list[int]:
    place = within("annotation.matches", key)
    numbers = as_list(member(matches, key, "annotation.matches"), place)
    return [as_int(number, within(place, i), low=1) - 1 for i, number in enumerate(numbers)]


def _moment(value: object) -> datetime:
    text = as_text(value, "timestamp")
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError as error:
        raise Misfit(
            "timestamp", f"must be like 2025-04-30T12:00:00, and is {shown(text)}."
        ) from error


def _feedback(value: object) -> str:
    if not isinstance(value, str):
        raise Misfit("feedback", f"must be a text, and is {shown(value)}.")
    return value
