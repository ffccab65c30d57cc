"""Judge runs, verdicts and saved figures through the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Study, TaskSet, User
from evaluation.models import JudgeRun, JudgeTask, MetaEvaluation
from tests.factories import (
    make_comparison,
    make_run,
    make_study,
    make_task_set,
    make_verdict,
)

EQUAL = {"form": "single", "relation": "equal"}


@pytest.fixture
def pairs(study: Study) -> TaskSet:
    task_set = make_task_set(study)
    for _ in range(3):
        make_comparison(task_set, "1 May 1999", "May 1, 1999")
    return task_set


@pytest.fixture
def run(pairs: TaskSet) -> JudgeRun:
    """Three questions: one answered, one not scored, one still waiting."""
    run = make_run(pairs, status="running")
    first, second, _ = run.judge_tasks.order_by("pk")
    make_verdict(first, EQUAL)
    second.status = JudgeTask.Status.NOT_SCORED
    second.error_kind = "unreadable"
    second.save()
    return run


@pytest.fixture
def figures(study: Study) -> MetaEvaluation:
    row = {"metric": "accuracy", "value": None, "undefined_reason": "no common units"}
    return MetaEvaluation.objects.create(
        study=study, inputs={"judge": None}, seed=1, draws=9, rows=[row], versions={"gavel": "0"}
    )


@pytest.fixture
def reader(as_user: Any, researcher: User) -> Client:
    return as_user(researcher)


def results(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    response = client.get(f"/api/v1/studies/study/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_a_run_counts_its_questions(reader: Client, run: JudgeRun) -> None:
    (row,) = results(reader, "runs/")
    assert (row["questions"], row["answered"], row["not_scored"]) == (3, 1, 1)
    assert (row["judge"], row["is_baseline"], row["task_set"]) == ("rules", True, "pairs")
    assert reader.get(f"/api/v1/studies/study/runs/{run.pk}/").json() == row


def test_runs_are_filtered_and_newest_first(
    reader: Client, study: Study, run: JudgeRun, pairs: TaskSet
) -> None:
    later = make_run(pairs, judge="other-rules")
    ids = [row["id"] for row in results(reader, "runs/")]
    assert ids == [later.pk, run.pk]
    assert [row["id"] for row in results(reader, "runs/", judge="rules")] == [run.pk]
    assert [row["id"] for row in results(reader, "runs/", status="done")] == [later.pk]
    assert results(reader, "runs/", task_set="nothing") == []


def test_verdicts_hold_what_was_not_scored_and_leave_out_what_still_waits(
    reader: Client, run: JudgeRun
) -> None:
    rows = results(reader, "verdicts/")
    assert [(row["status"], row["payload"], row["error_kind"]) for row in rows] == [
        ("done", EQUAL, ""),
        ("not_scored", None, "unreadable"),
    ]


def test_verdicts_are_filtered(reader: Client, run: JudgeRun, pairs: TaskSet) -> None:
    other = make_run(pairs, judge="other-rules")
    question = other.judge_tasks.order_by("pk").first()
    assert question is not None
    make_verdict(question, EQUAL)

    def found(**query: Any) -> list[tuple[str, str]]:
        return [(row["judge"], row["status"]) for row in results(reader, "verdicts/", **query)]

    assert found(run=other.pk) == found(judge="other-rules") == [("other-rules", "done")]
    assert found(task=question.task_id) == [("rules", "done"), ("other-rules", "done")]
    assert found(status="not_scored") == [("rules", "not_scored")]
    assert found(task_set="nothing") == []


@pytest.mark.parametrize("query", ["run=rules", f"run={10**30}", "status=pending", "jugde=rules"])
def test_a_filter_that_cannot_be_is_refused(reader: Client, run: JudgeRun, query: str) -> None:
    response = reader.get(f"/api/v1/studies/study/verdicts/?{query}")
    assert (response.status_code, response.json()["code"]) == (422, "invalid")


def test_saved_figures_keep_the_reason_of_what_is_undefined(
    reader: Client, figures: MetaEvaluation
) -> None:
    (row,) = results(reader, "meta-evaluations/")
    assert "rows" not in row
    body = reader.get(f"/api/v1/studies/study/meta-evaluations/{figures.pk}/").json()
    assert body.pop("rows") == [
        {"metric": "accuracy", "value": None, "undefined_reason": "no common units"}
    ]
    assert body == row


def test_rights(
    as_user: Any, annotator: User, outsider: User, run: JudgeRun, figures: MetaEvaluation
) -> None:
    paths = (
        "runs/",
        f"runs/{run.pk}/",
        "verdicts/",
        "meta-evaluations/",
        f"meta-evaluations/{figures.pk}/",
    )
    for path in paths:
        assert as_user(annotator).get(f"/api/v1/studies/study/{path}").status_code == 403
        assert as_user(outsider).get(f"/api/v1/studies/study/{path}").status_code == 404


def test_a_run_or_computation_of_another_study_is_not_found(
    reader: Client, figures: MetaEvaluation, pairs: TaskSet
) -> None:
    other = make_study("other")
    foreign_set = make_task_set(other)
    foreign = make_run(foreign_set)
    saved = MetaEvaluation.objects.create(
        study=other, inputs={}, seed=1, draws=9, rows=[], versions={}
    )
    for path in (f"runs/{foreign.pk}/", f"meta-evaluations/{saved.pk}/", f"runs/{10**30}/"):
        response = reader.get(f"/api/v1/studies/study/{path}")
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["verdicts/", "runs/", "meta-evaluations/"])
def test_the_number_of_queries_does_not_grow_with_the_rows(
    reader: Client,
    study: Study,
    pairs: TaskSet,
    path: str,
    django_assert_num_queries: Any,
) -> None:
    def add(count: int) -> None:
        for _ in range(count):
            for question in make_run(pairs).judge_tasks.all():
                make_verdict(question, EQUAL)
            MetaEvaluation.objects.create(
                study=study, inputs={}, seed=1, draws=9, rows=[], versions={}
            )

    add(1)
    # session, person, study, membership, count, rows
    with django_assert_num_queries(6):
        reader.get(f"/api/v1/studies/study/{path}")
    add(8)
    with django_assert_num_queries(6):
        response = reader.get(f"/api/v1/studies/study/{path}")
    assert len(response.json()["results"]) == (27 if path == "verdicts/" else 9)
