"""The keys of the work page and the queue, for the help sheet, the tests and the eye. PURE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WRITTEN = {
    "ArrowUp": "↑",
    "ArrowDown": "↓",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "Mod": "Ctrl",
    "Shift": "⇧",
    "Escape": "Esc",
}


@dataclass(frozen=True, slots=True)
class Chord:
    """A key or a combination, as pages declare it (``Mod+Enter``) and as it is written."""

    spec: str

    @property
    def text(self) -> str:
        return "+".join(_WRITTEN.get(part, part) for part in self.spec.split("+"))


@dataclass(frozen=True, slots=True)
class KeyRow:
    chords: Sequence[Chord]
    does: str


@dataclass(frozen=True, slots=True)
class KeyPart:
    title: str
    rows: Sequence[KeyRow]


def _row(specs: str, does: str) -> KeyRow:
    return KeyRow(tuple(map(Chord, specs.split())), does)


_SINGLE = KeyPart(
    "This pair",
    (
        _row("1 2 3 4", "Equal, A contains B, B contains A, different"),
        _row("Enter", "Submit and next"),
        _row("w", "Mark the words that differ, on or off"),
    ),
)
_LIST = KeyPart(
    "The lists",
    (
        _row("j ArrowDown", "Next value"),
        _row("k ArrowUp", "Previous value"),
        _row("J", "Next value that is open"),
        _row("ArrowLeft ArrowRight", "To list A, to list B"),
        _row("1 … 9", "Number of the counterpart; a match typed again is taken back"),
        _row("Enter", "End of a number that could go on; else submit and next"),
        _row("0", "No counterpart"),
        _row("Shift+0", "No counterpart for all that is open"),
        _row("m", "Order B by likeness to the value in focus, or as it came"),
    ),
)
_WORK = KeyPart(
    "The work",
    (
        _row("Mod+Enter", "Submit and next, from a field too"),
        _row("z Mod+z", "Undo; on a fresh page, take the last submit back"),
        _row("Z Mod+Shift+z", "Redo"),
        _row("d", "Definition of the item"),
        _row("f", "Flag, or take the flag away"),
        _row("F", "Say what is wrong with a flagged task"),
        _row("c", "Comment"),
        _row("q", "Skip, with a reason"),
        _row("[", "Previous task"),
        _row("]", "Next task"),
        _row("g", "All my tasks"),
    ),
)
_QUEUE = KeyPart("My tasks", (_row("Enter", "Begin, or go on with the next open task"),))


def key_table(form: str) -> list[KeyPart]:
    """The keys of a task of this form."""
    return [_SINGLE if form == "single" else _LIST, _WORK]


def queue_keys() -> list[KeyPart]:
    """The keys of a queue in which something is left to do."""
    return [_QUEUE]
