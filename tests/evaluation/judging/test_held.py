"""Questions that another worker holds: waited for, said, and taken over when it is gone."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from agent.connecting.services import rules_judge
from annotation.models import Study
from evaluation.judging import working
from evaluation.judging.services import report_of, resume_run, start_run
from evaluation.judging.working import Held, claim, free_abandoned, work, worker_name
from evaluation.models import JudgeRun, JudgeTask, Verdict
from tests.factories import make_comparison, make_task_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study: Study) -> JudgeRun:
    """Four questions, of which a worker on another machine holds two."""
    task_set = make_task_set(study)
    for n in range(4):
        make_comparison(task_set, f"a{n}", f"b{n}")
    run = start_run(study, task_set, rules_judge())
    JudgeRun.objects.filter(pk=run.pk).update(status=JudgeRun.Status.RUNNING)
    claim(run, "elsewhere-1-abc", 2, timezone.now())
    return run


def ended_process() -> int:
    """The id of a process that has just ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_held_questions_are_waited_for_until_their_lease_is_over(run: JudgeRun) -> None:
    said: list[Held] = []
    waits = 0

    def sleep(_: float) -> None:
        nonlocal waits
        waits += 1
        if waits == 3:
            past = timezone.now() - dt.timedelta(seconds=1)
            run.judge_tasks.filter(status="running").update(lease_until=past)

    run = work(run.pk, worker="w", held=said.append, sleep=sleep)
    assert (run.status, report_of(run).ok, waits) == ("done", 4, 3)
    assert [(held.questions, held.workers) for held in said] == [
        (2, frozenset({"elsewhere-1-abc"}))
    ]
    assert Verdict.objects.count() == 4


def test_what_the_other_worker_answers_meanwhile_is_not_asked_again(run: JudgeRun) -> None:
    def other(_: float) -> None:
        run.judge_tasks.filter(status="running").update(
            status=JudgeTask.Status.NOT_SCORED, error_kind="refused", lease_until=None
        )

    run = work(run.pk, worker="w", sleep=other)
    assert (run.status, report_of(run).ok, report_of(run).failed) == ("done", 2, {"refused": 2})


def test_a_run_cancelled_while_waiting_ends(run: JudgeRun) -> None:
    def cancel(_: float) -> None:
        JudgeRun.objects.filter(pk=run.pk).update(status=JudgeRun.Status.CANCELLED)

    assert work(run.pk, worker="w", sleep=cancel).status == "cancelled"
    assert report_of(run).waiting == 2


def test_a_worker_of_this_machine_that_has_ended_holds_nothing(run: JudgeRun) -> None:
    host = working._host()
    name = f"{host}-{ended_process()}-0a1b2c3d"
    run.judge_tasks.filter(status="running").update(claimed_by=name)
    resume_run(run)
    assert run.judge_tasks.filter(status="pending").count() == 4


@pytest.mark.parametrize(
    "name",
    ["", "w1", "elsewhere-1-abc", "a-b-c-d", f"{working._host()}-x-1", worker_name()],
    ids=["none", "short", "another machine", "odd", "no process", "this process"],
)
def test_a_worker_that_may_live_keeps_what_it_holds(name: str, run: JudgeRun) -> None:
    run.judge_tasks.filter(status="running").update(claimed_by=name)
    assert free_abandoned(run) == 0
    assert f"-{os.getpid()}-" in worker_name()


def test_the_command_says_for_whom_it_waits_and_until_when(
    run: JudgeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        past = timezone.now() - dt.timedelta(seconds=1)
        run.judge_tasks.filter(status="running").update(lease_until=past)

    asked = working.work

    def quickly(*args: Any, **named: Any) -> JudgeRun:
        return asked(*args, **named, sleep=sleep)

    monkeypatch.setattr("evaluation.management.commands.run_judge.work", quickly)
    out, err = StringIO(), StringIO()
    call_command(
        "run_judge", study=run.study.slug, resume=run.pk, wait=True, stdout=out, stderr=err
    )
    assert "Waiting for 2 questions held by another worker (elsewhere-1-abc)" in err.getvalue()
    assert "(done): 4 questions, 4 answered" in out.getvalue()
    assert waits
