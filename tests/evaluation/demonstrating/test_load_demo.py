"""The demo study: complete, repeatable, refused where its passwords would be a danger."""

from __future__ import annotations

import pytest
from django.contrib.auth import authenticate

from annotation.errors import Refused
from annotation.kinds import comparison, extraction, residual, style
from annotation.models import Answer, Assignment, Evidence, Summary, TaskSet
from evaluation.demo.people import DEMO_PASSWORD
from evaluation.demonstrating.services import TRY_IT, demo_accounts, load_demo_study
from evaluation.meta_evaluating.services import meta_evaluate
from evaluation.models import JudgeRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo():  # type: ignore[no-untyped-def]
    return load_demo_study().study


def test_every_kind_of_task_is_answered_by_three_people(demo) -> None:  # type: ignore[no-untyped-def]
    for kind in TaskSet.Kind.values:
        task_set = demo.task_sets.get(key=kind)
        votes = Assignment.objects.filter(task__task_set=task_set, status="submitted").count()
        assert votes == 3 * task_set.tasks.count() > 0


def test_every_answer_passes_the_check_of_its_kind(demo) -> None:  # type: ignore[no-untyped-def]
    items = frozenset(item["key"] for item in demo.template.content["items"])
    for answer in Answer.objects.select_related(
        "assignment__task__task_set", "assignment__task__summary"
    ):
        task = answer.assignment.task
        match task.task_set.kind:
            case "comparison":
                comparison.check_answer(
                    comparison.parse_answer(answer.payload),
                    comparison.Content.model_validate(task.content),
                )
            case "extraction":
                extraction.check_answer(
                    extraction.parse_answer(answer.payload),
                    item_keys=items,
                    text=task.summary.text,
                )
            case "residual":
                residual.check_answer(
                    residual.parse_answer(answer.payload),
                    residual.Content.model_validate(task.content),
                )
            case "style":
                style.check_answer(style.parse_answer(answer.payload))


def test_evidence_slices_and_everything_says_it_is_synthetic(demo) -> None:  # type: ignore[no-untyped-def]
    evidence = Evidence.objects.select_related("summary")
    assert evidence.count() > 100
    assert all(e.summary and e.summary.text[e.start : e.end] == e.quote for e in evidence)
    assert demo.is_synthetic
    assert all(summary.metadata["synthetic"] for summary in Summary.objects.all())


def test_a_finished_rules_run_and_open_tasks_wait(demo) -> None:  # type: ignore[no-untyped-def]
    run = JudgeRun.objects.get()
    assert (run.judge.name, run.status) == ("rules", "done")
    assert run.judge_tasks.filter(status="done").count() == run.judge_tasks.count() == 101
    waiting = Assignment.objects.filter(task__task_set__key=TRY_IT)
    assert {a.status for a in waiting} == {"new"}
    assert {a.annotator.username for a in waiting} == {"ada", "ben", "chi"}


def test_every_demo_account_can_log_in(demo, rf) -> None:  # type: ignore[no-untyped-def]
    accounts = demo_accounts()
    assert [name for name, role in accounts if role == "annotator"] == ["ada", "ben", "chi"]
    assert {role for _, role in accounts} == {"annotator", "adjudicator", "admin", "researcher"}
    for name, _ in accounts:
        assert authenticate(rf.post("/login/"), username=name, password=DEMO_PASSWORD)


def test_loading_again_changes_nothing(demo) -> None:  # type: ignore[no-untyped-def]
    before = Answer.objects.count()
    again = load_demo_study()
    assert (again.made, again.study) == (False, demo)
    assert Answer.objects.count() == before


def test_a_production_site_is_refused(settings) -> None:  # type: ignore[no-untyped-def]
    settings.PRODUCTION = True
    with pytest.raises(Refused, match="production"):
        load_demo_study()


def test_figures_of_the_demo_by_hand(demo) -> None:  # type: ignore[no-untyped-def]
    rows = meta_evaluate(demo).rows

    def value(task_set: str, metric: str, subject: str = "humans") -> float:
        return next(
            row["value"]
            for row in rows
            if (row["task_set"], row["metric"], row["subject"], row["stratum"])
            == (task_set, metric, subject, "all")
        )

    # 33 single tasks, one of which splits three ways: 32/33 have two that agree.
    assert value("comparison", "two_agree") == pytest.approx(32 / 33)
    # 30 ratings (6 pairs x 5 aspects), 28 of them with two equal.
    assert value("style", "two_agree") == pytest.approx(28 / 30)
    # Votes by relation: 58 equal, 19 + 16 containing, 6 different of 99. 21 units unanimous (1),
    # 11 split 2-1 (1/3), 1 split three ways (0).
    observed = (21 + 11 / 3) / 33
    expected = sum((n / 99) ** 2 for n in (58, 19, 16, 6))
    kappa = (observed - expected) / (1 - expected)
    assert value("comparison", "fleiss_kappa") == pytest.approx(kappa)
