"""Undo and redo from the stored steps alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.kinds.drafts import REDO, UNDO, Change, difference, reachable

DRAFTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=3)


@dataclass
class Step:
    action: str
    before: dict[str, Any]
    after: dict[str, Any]


def step(action: str, change: Change) -> Step:
    return Step(action, change.before, change.after)


@settings(max_examples=60, deadline=None)
@given(DRAFTS, DRAFTS)
def test_a_change_leads_from_the_old_draft_to_the_new_and_back(
    old: dict[str, int], new: dict[str, int]
) -> None:
    change = difference(old, new)
    assert change.apply(old) == new
    assert change.reversed.apply(new) == old
    assert bool(change) is (old != new)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(DRAFTS, st.sampled_from([UNDO, REDO])), max_size=25))
def test_undo_and_redo_walk_the_same_path_as_a_list_of_states(
    commands: list[Any],
) -> None:
    """Against the simplest model: a list of drafts and a place in it."""
    states: list[dict[str, int]] = [{}]
    place = 0
    draft: dict[str, int] = {}
    steps: list[Step] = []
    for command in commands:
        found = reachable(steps)
        assert (found.undo is not None) is (place > 0)
        assert (found.redo is not None) is (place < len(states) - 1)
        change = (
            {UNDO: found.undo, REDO: found.redo}.get(command)
            if isinstance(command, str)
            else difference(draft, command)
        )
        if not change:
            continue
        steps.append(step(command if isinstance(command, str) else "act", change))
        draft = change.apply(draft)
        if command == UNDO:
            place -= 1
        elif command == REDO:
            place += 1
        else:
            del states[place + 1 :]
            states.append(dict(command))
            place += 1
        assert draft == states[place]


def test_steps_that_change_nothing_are_passed_over() -> None:
    steps = [Step("choose", {}, {"relation": "equal"}), Step("submit", {}, {})]
    assert reachable(steps).undo == Change({"relation": "equal"}, {})
