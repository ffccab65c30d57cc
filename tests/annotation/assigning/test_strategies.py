"""Who answers what: exactly as many as asked, evenly, and the same again from the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.assigning.strategies import balanced, drawn_side, shuffled
from annotation.kinds.comparison import Side

NAMES = ["anna", "ben", "cleo", "dora", "emil"]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(1, 5), st.data(), st.integers(0, 2**31))
def test_every_task_has_that_many_people_and_loads_differ_by_one_at_most(
    n_tasks: int, n_people: int, data: st.DataObject, seed: int
) -> None:
    per_task = data.draw(st.integers(1, n_people))
    tasks = [f"t{i}" for i in range(n_tasks)]
    pairs = balanced(tasks, NAMES[:n_people], per_task, seed)
    assert len(set(pairs)) == len(pairs) == n_tasks * per_task
    assert all(count == per_task for count in Counter(task for task, _ in pairs).values())
    loads = Counter(dict.fromkeys(NAMES[:n_people], 0))
    loads.update(name for _, name in pairs)
    assert max(loads.values()) - min(loads.values()) <= 1
    assert balanced(tasks, NAMES[:n_people], per_task, seed) == pairs


def test_only_what_is_missing_is_handed_out() -> None:
    tasks = ["t1", "t2", "t3"]
    already = {"t1": {"anna", "ben"}, "t2": {"zoe"}}
    pairs = balanced(tasks, ["anna", "ben", "cleo"], 2, 1, already=already)
    counts = Counter(task for task, _ in pairs)
    assert counts == {"t2": 1, "t3": 2}  # t1 has two; zoe counts for t2 though she is not named
    # anna and ben have one each; three more make five over three people: 2, 2, 1 or 1, 2, 2.
    loads = Counter(["anna", "ben", *(name for _, name in pairs)])
    assert sorted(loads.values()) == [1, 2, 2]


def test_the_seed_decides_who_shares_tasks() -> None:
    tasks = [f"t{i}" for i in range(30)]
    draws = {tuple(balanced(tasks, NAMES, 2, seed)) for seed in range(5)}
    assert len(draws) == 5
    teams = Counter()
    for task in tasks:
        teams[frozenset(n for t, n in balanced(tasks, NAMES, 2, 3) if t == task)] += 1
    assert len(teams) >= 8  # of the 10 possible pairs: not the same two time and again


@pytest.mark.parametrize(("names", "per_task"), [(["a"], 2), (["a"], 0), (["a", "a"], 1), ([], 1)])
def test_impossible_demands_are_refused(names: list[str], per_task: int) -> None:
    with pytest.raises(ValueError, match=r"per_task|twice"):
        balanced(["t1"], names, per_task, 0)


def test_an_own_order_has_every_task_once_and_differs_between_people() -> None:
    tasks = [f"t{i}" for i in range(20)]
    one, other = shuffled(tasks, 5, "anna"), shuffled(tasks, 5, "ben")
    assert sorted(one) == sorted(other) == sorted(tasks)
    assert one != other != tasks
    assert shuffled(reversed(tasks), 5, "anna") == one


def test_sides_are_drawn_evenly_and_for_each_person_apart() -> None:
    sides = [drawn_side(1, "set", f"t{i}", "anna") for i in range(1000)]
    # 1000 fair draws: five standard deviations are 5 * sqrt(1000 / 4) = 79.
    assert abs(sides.count(Side.MODEL) - 500) < 79
    assert sides == [drawn_side(1, "set", f"t{i}", "anna") for i in range(1000)]
    same = sum(a is drawn_side(1, "set", f"t{i}", "ben") for i, a in enumerate(sides))
    assert abs(same - 500) < 79
