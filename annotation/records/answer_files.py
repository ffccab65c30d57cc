"""What the two comparing interfaces write with every answer. PURE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.errors import InvalidInput
from annotation.records.quoting import shown

SKIPPED: Mapping[str, object] = {"skipped": True}


@dataclass(frozen=True, slots=True)
class Frame:
    """Who answered which pair when. ``timestamp`` is ISO 8601, ``index`` the 0-based position of
    the pair, ``order`` the sources of A and B, ``seconds`` the time spent.
    """

    username: str
    session_id: str
    timestamp: str
    index: int
    key: object
    order: Sequence[str]
    has_problem: bool
    feedback: str
    seconds: int


def answer_file(frame: Frame, annotation: Mapping[str, object] | None) -> dict[str, object]:
    """An answer file, ready for ``json.dumps``; ``annotation`` is None for a skipped pair.

    A skipped pair has neither flag nor feedback unless there is something to keep in them. Raises
    ``InvalidInput`` when both sides name the same source, since then the order could not be read
    back.
    """
    if frame.order[0] == frame.order[1]:
        raise InvalidInput(
            f"Both sides of {_named(frame.key)} name the same source "
            f"({shown(frame.order[0])}), so the order cannot be written. Name them apart."
        )
    notes = {"has_problem": frame.has_problem, "feedback": frame.feedback}
    if annotation is None:
        notes = {name: value for name, value in notes.items() if value}
    return {
        "username": frame.username,
        "session_id": frame.session_id,
        "timestamp": frame.timestamp,
        "index": frame.index,
        "key": frame.key,
        "order": list(frame.order),
        "annotation": dict(SKIPPED if annotation is None else annotation),
        **notes,
        "time_spent_seconds": frame.seconds,
    }


def _named(key: object) -> str:
    if isinstance(key, dict):
        return f"case {key.get('case_id')}, {key.get('checklist_item')}"
    return f"case {key}"
