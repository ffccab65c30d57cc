"""Studies, task sets, tasks and answers through the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Answer, Study, Task, TaskSet, User
from tests.factories import (
    make_answer,
    make_assignment,
    make_comparison,
    make_member,
    make_study,
    make_task_set,
    make_user,
)

EQUAL = {"form": "single", "relation": "equal"}
DIFFERENT = {"form": "single", "relation": "different"}


@pytest.fixture
def pairs(study: Study) -> TaskSet:
    return make_task_set(study)


@pytest.fixture
def tasks(pairs: TaskSet) -> list[Task]:
    return [
        make_comparison(pairs, "1 May 1999", "May 1, 1999", case_id="1001"),
        make_comparison(pairs, ["a", "b"], ["b"], case_id="1002", item_key="remedies_sought"),
    ]


@pytest.fixture
def reader(as_user: Any, researcher: User) -> Client:
    return as_user(researcher)


def results(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    response = client.get(f"/api/v1/{path}", query)
    assert response.status_code == 200, response.content
    return response.json()["results"]


def test_studies_are_those_one_is_a_member_of(reader: Client, study: Study) -> None:
    make_study("another")
    assert [row["slug"] for row in results(reader, "studies/")] == ["study"]


def test_a_site_admin_sees_every_study_in_the_order_of_their_slugs(
    as_user: Any, study: Study
) -> None:
    make_study("another")
    chief = make_user("chief", is_superuser=True)
    assert [row["slug"] for row in results(as_user(chief), "studies/")] == ["another", "study"]


def test_a_study_says_its_checklist_and_its_seed(reader: Client, study: Study) -> None:
    body = reader.get("/api/v1/studies/study/").json()
    assert set(body) == {
        "slug", "name", "description", "template", "template_version", "is_synthetic", "seed",
        "created_at",
    }  # fmt: skip
    assert (body["template"], body["seed"]) == ("legal-26", 0)


def test_task_sets_say_how_many_tasks_they_hold(
    as_user: Any, annotator: User, study: Study, tasks: list[Task]
) -> None:
    make_task_set(study, "style", kind="style")
    mine = as_user(annotator)
    rows = results(mine, "studies/study/task-sets/")
    assert [(row["key"], row["tasks"]) for row in rows] == [("pairs", 2), ("style", 0)]
    rows = results(mine, "studies/study/task-sets/", kind="style")
    assert [row["key"] for row in rows] == ["style"]


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ({}, [1, 2]),
        ({"form": "list"}, [2]),
        ({"item": "filing_date"}, [1]),
        ({"case": "1002"}, [2]),
        ({"task_set": "pairs"}, [1, 2]),
        ({"task_set": "nothing"}, []),
        ({"form": "list", "case": "1001"}, []),
    ],
)
def test_tasks_are_filtered(
    reader: Client, tasks: list[Task], query: dict[str, str], positions: list[int]
) -> None:
    rows = results(reader, "studies/study/tasks/", **query)
    assert [row["position"] for row in rows] == positions


def test_a_task_says_what_it_asks(reader: Client, tasks: list[Task]) -> None:
    body = reader.get(f"/api/v1/studies/study/tasks/{tasks[1].pk}/").json()
    assert body["content"]["model"] == ["a", "b"]
    assert (body["case"], body["item"], body["kind"]) == ("1002", "remedies_sought", "comparison")


def test_answers_are_the_current_ones_under_pseudonyms(
    reader: Client, study: Study, annotator: User, tasks: list[Task]
) -> None:
    given = make_assignment(tasks[0], annotator)
    make_answer(given, EQUAL)
    make_answer(given, DIFFERENT)
    rows = results(reader, "studies/study/answers/")
    assert [(row["version"], row["payload"]["relation"]) for row in rows] == [(2, "different")]
    assert rows[0]["annotator"] == "annotator-1"
    every = results(reader, "studies/study/answers/", all="1")
    assert [(row["version"], row["is_current"]) for row in every] == [(1, False), (2, True)]


def test_no_name_of_a_person_leaves_through_the_api(
    as_user: Any, study: Study, tasks: list[Task]
) -> None:
    named = make_user(
        "tell-tale", first_name="Tella", last_name="Taleworth", email="tt@example.org"
    )
    from annotation.managing.services import add_member

    add_member(study, named, "annotator")
    make_answer(make_assignment(tasks[0], named), EQUAL)
    reader = as_user(make_member(study, "researcher", "rita"))
    for path in ("", "studies/", "studies/study/answers/", "studies/study/tasks/"):
        text = reader.get(f"/api/v1/{path}").content.decode()
        for secret in ("tell-tale", "Tella", "Taleworth", "tt@example.org"):
            assert secret not in text


def test_a_skipped_task_has_no_payload_and_a_reason(
    reader: Client, annotator: User, tasks: list[Task]
) -> None:
    make_answer(make_assignment(tasks[0], annotator), None, skip_reason="illegible")
    make_answer(make_assignment(tasks[1], annotator), {"form": "list", "pairs": []})
    rows = results(reader, "studies/study/answers/", outcome="skipped")
    assert [(row["payload"], row["skip_reason"]) for row in rows] == [(None, "illegible")]


def test_answers_are_filtered_by_task_case_item_and_person(
    reader: Client, study: Study, annotator: User, tasks: list[Task]
) -> None:
    second = make_member(study, "annotator", "bert")
    for task in tasks:
        make_answer(make_assignment(task, annotator), EQUAL)
    make_answer(make_assignment(tasks[0], second), EQUAL)

    def found(**query: Any) -> list[tuple[int, str]]:
        rows = results(reader, "studies/study/answers/", **query)
        return [(row["task"], row["annotator"]) for row in rows]

    first, other = tasks[0].pk, tasks[1].pk
    assert found(task=first) == [(first, "annotator-1"), (first, "annotator-2")]
    assert found(annotator="annotator-2") == [(first, "annotator-2")]
    assert found(case="1002") == found(item="remedies_sought") == [(other, "annotator-1")]


def test_a_page_holds_a_hundred_and_the_order_is_stable(reader: Client, pairs: TaskSet) -> None:
    for _ in range(103):
        make_comparison(pairs, "a", "b")
    first = reader.get("/api/v1/studies/study/tasks/").json()
    assert first["count"] == 103
    assert [row["position"] for row in first["results"]] == list(range(1, 101))
    second = reader.get(first["next"]).json()
    assert [row["position"] for row in second["results"]] == [101, 102, 103]
    assert second["next"] is None


def test_a_parameter_that_is_not_known_is_refused_and_names_those_that_are(
    reader: Client, study: Study
) -> None:
    response = reader.get("/api/v1/studies/study/tasks/?taskset=pairs")
    assert response.status_code == 422
    assert response.json()["code"] == "invalid"
    assert "taskset" in response.json()["detail"]
    assert "task_set" in response.json()["detail"]


@pytest.mark.parametrize(
    "query",
    ["task=first", "task=-1", "task=٣", "task=", f"task={10**30}", "case=%00", "outcome=maybe"],
)
def test_a_value_that_cannot_be_is_refused(reader: Client, study: Study, query: str) -> None:
    response = reader.get(f"/api/v1/studies/study/answers/?{query}")
    assert response.status_code == 422
    assert response.json()["code"] == "invalid"


def test_a_task_with_an_id_beyond_the_database_is_not_found(reader: Client, study: Study) -> None:
    assert reader.get(f"/api/v1/studies/study/tasks/{10**30}/").status_code == 404


def test_an_annotator_may_not_read_answers_and_an_outsider_knows_of_no_study(
    as_user: Any, annotator: User, outsider: User, tasks: list[Task]
) -> None:
    for path in ("tasks/", "answers/", f"tasks/{tasks[0].pk}/"):
        assert as_user(annotator).get(f"/api/v1/studies/study/{path}").status_code == 403
        assert as_user(outsider).get(f"/api/v1/studies/study/{path}").status_code == 404


def test_a_task_of_another_study_is_not_found(
    reader: Client, study: Study, researcher: User
) -> None:
    other = make_study("other")
    foreign = make_comparison(make_task_set(other), "a", "b")
    assert reader.get(f"/api/v1/studies/study/tasks/{foreign.pk}/").status_code == 404


@pytest.mark.parametrize("path", ["tasks/", "answers/", "answers/?all=1", "task-sets/"])
def test_the_number_of_queries_does_not_grow_with_the_rows(
    reader: Client,
    study: Study,
    annotator: User,
    pairs: TaskSet,
    path: str,
    django_assert_num_queries: Any,
) -> None:
    def add(count: int) -> None:
        for _ in range(count):
            make_answer(make_assignment(make_comparison(pairs, "a", "b"), annotator), EQUAL)

    add(2)
    # session, person, study, membership, count, rows
    with django_assert_num_queries(6):
        reader.get(f"/api/v1/studies/study/{path}")
    add(30)
    with django_assert_num_queries(6):
        response = reader.get(f"/api/v1/studies/study/{path}")
    expected = 1 if path == "task-sets/" else 32
    assert len(response.json()["results"]) == expected
    assert Answer.objects.count() == 32


def test_nothing_can_be_written(reader: Client, tasks: list[Task]) -> None:
    for path in ("studies/", "studies/study/", "studies/study/tasks/", "studies/study/answers/"):
        for method in ("post", "put", "patch", "delete"):
            assert getattr(reader, method)(f"/api/v1/{path}").status_code == 405
    assert Task.objects.count() == 2
