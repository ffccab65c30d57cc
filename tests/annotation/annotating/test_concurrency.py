"""Many requests at the same instant: one act, one answer, and never a lost version."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone

from annotation.annotating import services
from annotation.annotating.services import Stale, Write
from annotation.assigning.services import assign_tasks
from annotation.models import Answer, Assignment, Event, User
from tests.factories import make_comparison, make_member, make_study, make_task_set

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 20


@pytest.fixture
def own() -> Assignment:
    study = make_study()
    anna = make_member(study, "annotator", "anna")
    task = make_comparison(make_task_set(study), ["m1", "m2"], ["r1", "r2"])
    return Assignment.objects.create(task=task, annotator=anna, position=1, first_side="model")


def together(work: Callable[[int], Any]) -> list[Any]:
    """Do ``work(0)``, ``work(1)``, ... at the same instant, each on a connection of its own."""
    ready = Barrier(AT_ONCE)

    def one(n: int) -> Any:
        try:
            ready.wait()
            return work(n)
        except Stale as stale:
            return stale
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


def write(op_id: UUID) -> Write:
    return Write(op_id=op_id, version=0, now=timezone.now())


def test_twenty_identical_submits_are_one_answer(own: Assignment) -> None:
    op_id = uuid4()
    acts = services.read_acts(own, {"act": "rest"})
    done = together(lambda _: services.submit(own.annotator, own.pk, acts, write(op_id)))
    assert {answer.pk for _, answer in done} == {Answer.objects.get().pk}
    assert {assignment.version for assignment, _ in done} == {1}
    assert Event.objects.count() == 1


def test_of_twenty_different_submits_one_is_stored_and_the_rest_are_told(own: Assignment) -> None:
    acts = services.read_acts(own, {"act": "rest"})
    done = together(lambda _: services.submit(own.annotator, own.pk, acts, write(uuid4())))
    assert sum(isinstance(one, Stale) for one in done) == AT_ONCE - 1
    assert Answer.objects.count() == Event.objects.count() == 1


def test_of_twenty_different_acts_on_one_version_one_is_done(own: Assignment) -> None:
    def act(n: int) -> Assignment:
        acts = services.read_acts(own, {"act": f"match {n % 2 + 1} {n // 10 + 1}"})
        return services.act(own.annotator, own.pk, acts, write(uuid4()))

    done = together(act)
    assert sum(isinstance(one, Stale) for one in done) == AT_ONCE - 1
    own.refresh_from_db()
    event = Event.objects.get()
    assert own.version == event.version == 1
    assert own.draft == event.after


def test_handing_out_twenty_times_at_once_hands_out_once(own: Assignment) -> None:
    task_set = own.task.task_set
    for n in range(5):
        make_comparison(task_set, f"m{n}", f"r{n}")
    team = [own.annotator, make_member(task_set.study, "annotator", "ben")]
    done = together(lambda _: assign_tasks(task_set, team, per_task=2, seed=1))
    # Six tasks, two people each; anna had one already.
    assert sum(sum(one.assigned.values()) for one in done) == 11
    assert Assignment.objects.count() == 12
    assert User.objects.get(username="ben").assignments.count() == 6
