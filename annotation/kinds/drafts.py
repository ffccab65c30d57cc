"""Working drafts of answers: what an act changed, and what undo and redo bring back. PURE.

A draft is a flat mapping of names to plain JSON. Whatever happened to it is a sequence of
steps (stored as events), so undo needs no memory of its own and works across reloads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

Draft = dict[str, Any]

UNDO = "undo"
REDO = "redo"


@dataclass(frozen=True, slots=True)
class Change:
    """The keys of a draft that differ: their old and their new values.

    A key that is missing on one side was (or became) absent.
    """

    before: Draft
    after: Draft

    def __bool__(self) -> bool:
        return self.before != self.after

    @property
    def reversed(self) -> Change:
        return Change(self.after, self.before)

    def apply(self, draft: Draft) -> Draft:
        """``draft`` with the new values in place of the old ones."""
        kept = {key: value for key, value in draft.items() if key not in self.before}
        return kept | self.after


def difference(old: Draft, new: Draft) -> Change:
    """What leads from ``old`` to ``new``.

    >>> difference({"a": 1, "b": 2}, {"a": 1, "c": 3})
    Change(before={'b': 2}, after={'c': 3})
    """
    return Change(
        {key: value for key, value in old.items() if key not in new or new[key] != value},
        {key: value for key, value in new.items() if key not in old or old[key] != value},
    )


class Step(Protocol):
    """A stored act on a draft."""

    action: str
    before: Draft
    after: Draft


@dataclass(frozen=True, slots=True)
class Reachable:
    """The changes that undo and redo would make now; None where there is nothing."""

    undo: Change | None
    redo: Change | None


def reachable(steps: Iterable[Step]) -> Reachable:
    """What can be undone and redone after ``steps`` (oldest first).

    Steps that changed nothing are passed over. A new act after an undo ends what could be redone.
    """
    done: list[Change] = []
    undone: list[Change] = []
    for step in steps:
        change = Change(step.before, step.after)
        if step.action == UNDO and done:
            undone.append(done.pop())
        elif step.action == REDO and undone:
            done.append(undone.pop())
        elif change:
            done.append(change)
            undone.clear()
    return Reachable(done[-1].reversed if done else None, undone[-1] if undone else None)
