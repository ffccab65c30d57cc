"""Who answers which task, in which order, and which side is shown as A. PURE and repeatable.

Every draw is a hash of its seed and of what it is about, so it depends on nothing else: not on
the machine, nor on the order of calls, nor on what was drawn before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from annotation.kinds.comparison import Side
from annotation.kinds.drawing import draw_first_side, draw_number


def balanced(
    tasks: Sequence[str],
    annotators: Sequence[str],
    per_task: int,
    seed: int,
    *,
    already: Mapping[str, Collection[str]] | None = None,
) -> list[tuple[str, str]]:
    """Hand out ``tasks`` so that each has ``per_task`` different people.

    Each task goes to those who have the least so far; the seed decides between equals. From
    nothing, the loads therefore differ by one at most. ``already`` maps a task to the people who
    have it; only what is missing is handed out. Returns (task, annotator) in the order of tasks.

    Raises ``ValueError`` when ``per_task`` is not between 1 and the number of annotators, or a
    name stands twice.
    """
    if len(set(annotators)) != len(annotators):
        raise ValueError("an annotator is named twice")
    if not 1 <= per_task <= len(annotators):
        raise ValueError(f"per_task is {per_task}; it must be from 1 to {len(annotators)}")
    having = {task: set((already or {}).get(task, ())) for task in tasks}
    loads = dict.fromkeys(annotators, 0)
    for people in having.values():
        for name in people & loads.keys():
            loads[name] += 1
    handed_out = []
    for task in tasks:
        free = [name for name in annotators if name not in having[task]]
        free.sort(key=lambda name: (loads[name], draw_number(seed, "who", task, name)))
        for name in free[: max(0, per_task - len(having[task]))]:
            loads[name] += 1
            handed_out.append((task, name))
    return handed_out


def shuffled(tasks: Iterable[str], seed: int, annotator: str) -> list[str]:
    """``tasks`` in the order that ``annotator`` gets them in."""
    return sorted(tasks, key=lambda task: (draw_number(seed, "order", task, annotator), task))


def drawn_side(study_seed: int, task_set: str, task: str, annotator: str) -> Side:
    """The side that ``annotator`` sees as A: even odds."""
    return draw_first_side(study_seed, "shown first", task_set, task, annotator)
