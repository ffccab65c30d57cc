"""Handing out a set: repeatable, complete, and every refusal names its cause."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.assigning.services import annotators_named, assign_tasks
from annotation.errors import InvalidInput, NotFound, Refused
from annotation.models import Assignment, AuditEntry, TaskSet, User
from tests.factories import make_comparison, make_member, make_task_set, make_user


@pytest.fixture
def team(study: Any) -> list[User]:
    return [make_member(study, "annotator", name) for name in ("anna", "ben", "cleo")]


@pytest.fixture
def pairs(study: Any) -> TaskSet:
    task_set = make_task_set(study)
    for n in range(5):
        make_comparison(task_set, f"m{n}", f"r{n}", imported_first="reference")
    return task_set


def test_each_task_goes_to_that_many_and_again_adds_nothing(
    pairs: TaskSet, team: list[User]
) -> None:
    handed = assign_tasks(pairs, team, per_task=2, seed=7)
    assert sorted(handed.assigned.values()) == [3, 3, 4]  # 5 tasks, 2 each, 3 people
    assert handed.total == handed.assigned
    again = assign_tasks(pairs, team, per_task=2, seed=7)
    assert set(again.assigned.values()) == {0}
    assert Assignment.objects.count() == 10


def test_asking_for_more_adds_what_is_missing(pairs: TaskSet, team: list[User]) -> None:
    assign_tasks(pairs, team, per_task=2, seed=7)
    before = set(Assignment.objects.values_list("pk", flat=True))
    handed = assign_tasks(pairs, team, per_task=3, seed=7)
    assert sum(handed.assigned.values()) == 5
    assert set(handed.total.values()) == {5}
    assert before < set(Assignment.objects.values_list("pk", flat=True))
    for user in team:
        own = Assignment.objects.of(user).in_order()
        assert [a.position for a in own] == [1, 2, 3, 4, 5]


def test_order_and_sides_follow_the_options(study: Any, pairs: TaskSet, team: list[User]) -> None:
    assign_tasks(pairs, team, per_task=3, seed=7)
    own = Assignment.objects.of(team[0]).in_order().select_related("task")
    assert [a.task.position for a in own] == [1, 2, 3, 4, 5]
    shuffled = make_task_set(study, "mixed", options={"shuffle": True, "shown_order": "imported"})
    for n in range(8):
        make_comparison(shuffled, f"m{n}", f"r{n}", imported_first="reference")
    assign_tasks(shuffled, team, per_task=3, seed=7)
    rows = Assignment.objects.filter(task__task_set=shuffled).select_related("task")
    orders = [[a.task.position for a in rows.of(user).in_order()] for user in team]
    assert all(sorted(order) == list(range(1, 9)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    assert {a.first_side for a in rows} == {"reference"}


def test_sides_do_not_depend_on_the_seed_of_the_draw(pairs: TaskSet, team: list[User]) -> None:
    assign_tasks(pairs, team, per_task=3, seed=7)
    first = dict(Assignment.objects.values_list("task_id", "first_side").order_by("annotator"))
    Assignment.objects.all().delete()
    assign_tasks(pairs, team, per_task=3, seed=8)
    assert first == dict(
        Assignment.objects.values_list("task_id", "first_side").order_by("annotator")
    )


def test_refusals_name_their_cause(study: Any, pairs: TaskSet, team: list[User]) -> None:
    rita = make_member(study, "researcher", "rita")
    make_user("otto")
    with pytest.raises(Refused, match=r"4 different people .* only 3 named \(anna, ben, cleo\)"):
        assign_tasks(pairs, team, per_task=4, seed=0)
    with pytest.raises(InvalidInput, match="at least one"):
        assign_tasks(pairs, team, per_task=0, seed=0)
    with pytest.raises(NotFound, match="zoe, yan"):
        annotators_named(study, ["anna", "zoe", "yan"])
    with pytest.raises(Refused, match="rita, otto"):
        annotators_named(study, ["anna", rita.username, "otto"])
    team[2].is_active = False
    team[2].save()
    with pytest.raises(Refused, match="cleo"):
        annotators_named(study, ["cleo"])
    with pytest.raises(InvalidInput, match="at least one"):
        annotators_named(study, [])
    with pytest.raises(Refused, match="holds no tasks"):
        assign_tasks(make_task_set(study, "empty"), team, per_task=1, seed=0)
    pairs.closed_at = timezone.now()
    pairs.save()
    with pytest.raises(Refused, match="closed"):
        assign_tasks(pairs, team, per_task=1, seed=0)
    assert not Assignment.objects.exists()


def test_the_audit_says_who_handed_out_what(pairs: TaskSet, team: list[User], admin: User) -> None:
    assign_tasks(pairs, team, per_task=3, seed=9, actor=admin)
    entry = AuditEntry.objects.get(action="tasks.assigned")
    assert (entry.actor, entry.detail["seed"], entry.detail["per_task"]) == (admin, 9, 3)


def command(*args: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("assign", *args, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_the_command_prints_what_it_handed_out(pairs: TaskSet, team: list[User]) -> None:
    args = ("--study", "study", "--task-set", "pairs", "--per-task", "3", "--seed", "1")
    result = command(*args, "--annotators", "anna, ben,cleo")
    assert result["assigned"] == {"anna": 5, "ben": 5, "cleo": 5}
    with pytest.raises(CommandError, match="no account called zoe"):
        command(*args, "--annotators", "zoe")
    with pytest.raises(CommandError, match="no task set called none"):
        command("--study", "study", "--task-set", "none", "--per-task", "1", "--seed", "1",
                "--annotators", "anna")  # fmt: skip


def test_the_form_is_for_those_who_hand_out(
    pairs: TaskSet, team: list[User], researcher: User, outsider: User, as_user: Any
) -> None:
    url = "/studies/study/sets/pairs/assign/"
    assert as_user(team[0]).get(url).status_code == 403
    assert as_user(outsider).get(url).status_code == 404
    client = as_user(researcher)
    page = client.get(url)
    assert page.status_code == 200
    assert "anna" in page.text
    assert client.get("/studies/study/sets/nothing/assign/").status_code == 404
    data = {"annotators": ["anna", "ben"], "per_task": "2", "seed": "4"}
    done = client.post(url, data, follow=True)
    assert done.redirect_chain == [(url, 302)]
    assert "Handed out: anna 5, ben 5." in done.text
    too_many = client.post(url, data | {"per_task": "3"})
    assert too_many.status_code == 422
    assert "only 2 named" in too_many.text
    stranger = client.post(url, data | {"annotators": ["otto"]})
    assert stranger.status_code == 422
    empty = client.post(url, {})
    assert empty.status_code == 422
    assert Assignment.objects.count() == 10
