"""The agreement pages and command: figures from stored answers, each opening its rows."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agent.connecting.services import rules_judge
from annotation.errors import NotFound
from annotation.models import Answer, Assignment, Study, Task, TaskSet, User
from evaluation.judging.services import start_run
from evaluation.judging.working import work
from evaluation.meta_evaluating.services import meta_evaluate
from evaluation.models import JudgeRun, MetaEvaluation
from tests.factories import make_comparison, make_member, make_task_set

pytestmark = pytest.mark.django_db


def answer(task: Task, user: User, payload: dict[str, Any] | None) -> Answer:
    """A current answer of ``user``; None skips."""
    assignment = Assignment.objects.create(
        task=task, annotator=user, position=task.position, first_side="model"
    )
    stored = Answer.objects.create(
        assignment=assignment,
        version=1,
        op_id=uuid.uuid4(),
        outcome="submitted" if payload else "skipped",
        payload=payload,
        first_side="model",
        template=task.task_set.study.template,
        submitted_at=timezone.now(),
    )
    assignment.current = stored
    assignment.status = stored.outcome
    assignment.save()
    return stored


def single(relation: str) -> dict[str, Any]:
    return {"form": "single", "relation": relation}


def pairs(*matched: tuple[int, int], size: int = 2) -> dict[str, Any]:
    return {
        "form": "list",
        "pairs": [list(pair) for pair in matched],
        "only_model": [i for i in range(size) if i not in {m for m, _ in matched}],
        "only_reference": [i for i in range(size) if i not in {r for _, r in matched}],
    }


@pytest.fixture
def people(study: Study) -> list[User]:
    return [make_member(study, "annotator", name) for name in ("anna", "bela", "cora")]


@pytest.fixture
def judged(study: Study, people: list[User]) -> tuple[TaskSet, JudgeRun]:
    """Three single tasks (rules: equal, equal, different) and one list, three votes each."""
    task_set = make_task_set(study)
    votes: Sequence[tuple[Task, Sequence[dict[str, Any]]]] = [
        (
            make_comparison(task_set, "May 1, 2020", "1 May 2020", case_id="1"),
            [single("equal")] * 3,
        ),
        (
            make_comparison(task_set, "Judge Ada Moreno", "Ada Moreno", case_id="2"),
            [single("model_contains_reference")] * 2 + [single("equal")],
        ),
        (
            make_comparison(task_set, "jail", "school", case_id="3"),
            [single("equal"), single("different"), single("model_contains_reference")],
        ),
        (
            make_comparison(task_set, ["alpha", "beta"], ["beta", "alpha"], case_id="4"),
            [pairs((0, 1), (1, 0)), pairs((0, 1), (1, 0)), pairs((0, 1))],
        ),
    ]
    for task, given in votes:
        for user, payload in zip(people, given, strict=True):
            answer(task, user, payload)
    run = work(start_run(study, task_set, rules_judge()).pk, worker="w")
    return task_set, run


def value(rows: list[dict[str, Any]], subject: str, metric: str) -> Any:
    return next(r["value"] for r in rows if (r["subject"], r["metric"]) == (subject, metric))


def test_figures_from_stored_answers(study: Study, judged: tuple[TaskSet, JudgeRun]) -> None:
    rows = meta_evaluate(study).rows
    # The split task has no majority; of the other two the judge has one as people have it.
    assert value(rows, "rules", "accuracy") == pytest.approx(1 / 2)
    assert value(rows, "rules", "matching_f1") == 1.0
    # Pairs of annotators on the one list: 1, 2/3, 2/3.
    assert value(rows, "humans", "pairwise_f1") == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)
    assert value(rows, "humans", "two_agree") == pytest.approx(2 / 3)
    excluded = next(r for r in rows if r["metric"] == "accuracy")["n_excluded"]
    assert excluded == 1


def test_the_command_gives_the_rows_of_the_contract(
    study: Study, judged: tuple[TaskSet, JudgeRun]
) -> None:
    out = StringIO()
    call_command("meta_evaluate", study=study.slug, judge="rules", json=True, stdout=out)
    result = json.loads(out.getvalue())
    assert {"rows", "seed", "versions"} <= set(result)
    assert MetaEvaluation.objects.get().rows == result["rows"]
    call_command("meta_evaluate", study=study.slug, stdout=(text := StringIO()))
    lines = text.getvalue().splitlines()
    line = next(line for line in lines if line.startswith("pairs: rules, accuracy"))
    assert line == (
        "pairs: rules, accuracy: 0.5000 (no interval. Fewer than five cases: too few for an "
        "interval.), n = 2 in 2 cases"
    )


def test_a_judge_without_a_run_is_named(study: Study, judged: tuple[TaskSet, JudgeRun]) -> None:
    with pytest.raises(NotFound, match="nobody has no finished run"):
        meta_evaluate(study, judge="nobody")
    with pytest.raises(CommandError, match="draws"):
        call_command("meta_evaluate", study=study.slug, draws=1)


def test_skipped_answers_and_later_rounds_are_no_votes(
    study: Study, people: list[User], judged: tuple[TaskSet, JudgeRun]
) -> None:
    task_set, _ = judged
    extra = make_comparison(task_set, "x", "x", case_id="9")
    answer(extra, people[0], single("equal"))
    answer(extra, people[1], None)
    rows = meta_evaluate(study).rows
    fleiss = next(r for r in rows if r["metric"] == "two_agree")
    assert fleiss["n_units"] == 3


def test_former_answers_stay_votes_when_a_person_edits_again(
    study: Study, people: list[User], judged: tuple[TaskSet, JudgeRun]
) -> None:
    before = meta_evaluate(study).rows
    Assignment.objects.filter(annotator=people[0]).update(status="in_progress", version=7)
    assert meta_evaluate(study).rows == before


def test_the_judge_page_shows_each_figure_with_its_rows(
    study: Study, judged: tuple[TaskSet, JudgeRun], researcher: User, as_user: Any
) -> None:
    task_set, run = judged
    client = as_user(researcher)
    page = client.get(f"/studies/{study.slug}/agreement/judges/").content.decode()
    assert "baseline, no language model" in page
    assert f"/agreement/{task_set.key}/rows/?run={run.pk}&amp;form=single" in page
    cell = f"?run={run.pk}&amp;form=single&amp;human=model_contains_reference&amp;judge=equal"
    assert cell in page
    rows = client.get(
        f"/studies/{study.slug}/agreement/{task_set.key}/rows/",
        {"run": run.pk, "form": "single", "human": "model_contains_reference", "judge": "equal"},
    ).content.decode()
    question = run.judge_tasks.get(task__case__external_id="2")
    assert f"/questions/{question.pk}/" in rows
    assert "1 task behind the figures" in rows
    opened = client.get(f"/studies/{study.slug}/questions/{question.pk}/").content.decode()
    assert "Judge Ada Moreno" in opened


@pytest.mark.parametrize(
    ("agreement", "cases"),
    [("agree", {"1", "4"}), ("disagree", {"2"}), ("no_gold", {"3"}), ("nonsense", set("1234"))],
)
def test_rows_are_filtered_by_agreement(
    study: Study,
    judged: tuple[TaskSet, JudgeRun],
    researcher: User,
    as_user: Any,
    agreement: str,
    cases: set[str],
) -> None:
    task_set, run = judged
    response = as_user(researcher).get(
        f"/studies/{study.slug}/agreement/{task_set.key}/rows/",
        {"run": run.pk, "agreement": agreement, "format": "csv"},
    )
    table = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert {row["case"] for row in table} == cases


def test_the_human_page_and_its_rows(
    study: Study, judged: tuple[TaskSet, JudgeRun], researcher: User, as_user: Any
) -> None:
    task_set, _ = judged
    client = as_user(researcher)
    page = client.get(f"/studies/{study.slug}/agreement/people/").content.decode()
    assert "annotator-1 and annotator-2" in page
    assert "anna" not in page
    table = client.get(
        f"/studies/{study.slug}/agreement/{task_set.key}/rows/",
        {"agreement": "disagree", "format": "csv"},
    )
    rows = list(csv.DictReader(io.StringIO(table.content.decode())))
    assert {row["case"] for row in rows} == {"2", "3", "4"}
    assert rows[0]["annotator-3"] == "equal"


def test_the_page_asks_a_constant_number_of_queries(
    study: Study,
    people: list[User],
    judged: tuple[TaskSet, JudgeRun],
    researcher: User,
    as_user: Any,
    django_assert_max_num_queries: Any,
) -> None:
    task_set, _ = judged
    client = as_user(researcher)
    for number in range(20, 60):
        task = make_comparison(task_set, "x", "x", case_id=str(number))
        for user in people:
            answer(task, user, single("equal"))
    with django_assert_max_num_queries(16):
        client.get(f"/studies/{study.slug}/agreement/judges/")
    with django_assert_max_num_queries(16):
        client.get(f"/studies/{study.slug}/agreement/people/")


def test_tables_of_figures_can_be_read_alone(
    study: Study, judged: tuple[TaskSet, JudgeRun], researcher: User, as_user: Any
) -> None:
    task_set, run = judged
    client = as_user(researcher)
    for page, number in (("judges", str(run.pk)), ("people", "")):
        response = client.get(f"/studies/{study.slug}/agreement/{page}/", {"format": "csv"})
        table = list(csv.DictReader(io.StringIO(response.content.decode())))
        assert {(r["study"], r["task_set"], r["run"]) for r in table} == {
            (study.slug, task_set.key, number)
        }


def test_too_few_cases_for_an_interval_are_said_beside_the_figure(
    study: Study, judged: tuple[TaskSet, JudgeRun], researcher: User, as_user: Any
) -> None:
    page = as_user(researcher).get(f"/studies/{study.slug}/agreement/judges/").content.decode()
    assert "no interval: 2 cases, 5 needed" in page


def test_an_empty_study_has_pages_that_say_what_to_do(
    study: Study, researcher: User, as_user: Any
) -> None:
    client = as_user(researcher)
    assert (
        "No finished judge run yet"
        in client.get(f"/studies/{study.slug}/agreement/judges/").content.decode()
    )
    assert (
        "Nothing to compare yet"
        in client.get(f"/studies/{study.slug}/agreement/people/").content.decode()
    )


def test_figures_are_kept_on_request(
    study: Study, judged: tuple[TaskSet, JudgeRun], researcher: User, as_user: Any
) -> None:
    client = as_user(researcher)
    response = client.post(f"/studies/{study.slug}/agreement/saved/", follow=True)
    saved = MetaEvaluation.objects.get()
    assert saved.created_by == researcher
    assert f"{len(saved.rows)} figures are saved" in response.content.decode()
    table = client.get(f"/studies/{study.slug}/agreement/saved/{saved.pk}/", {"format": "csv"})
    assert len(list(csv.DictReader(io.StringIO(table.content.decode())))) == len(saved.rows)
