"""The pages of a study."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from annotation.managing.services import set_guidelines
from annotation.models import ImportReport, Membership, Study, Task, TaskSet, User
from annotation.templatetags.annotation_extras import markdown
from tests.factories import (
    make_answer,
    make_assignment,
    make_case,
    make_comparison,
    make_member,
    make_summary,
    make_task_set,
    make_user,
)
from tests.test_security import Page

EQUAL = {"form": "single", "relation": "equal"}
BASE = "/studies/study/"


@pytest.fixture
def pairs(study: Study) -> TaskSet:
    return make_task_set(study)


@pytest.fixture
def tasks(pairs: TaskSet) -> list[Task]:
    return [
        make_comparison(pairs, "1 May 1999", "May 1, 1999", case_id="1001"),
        make_comparison(pairs, ["a", "b", "c"], ["b"], case_id="1002", item_key="remedies_sought"),
        make_comparison(pairs, "2 May", "3 May", case_id="1003"),
    ]


@pytest.fixture
def own(as_user: Any, researcher: User) -> Client:
    return as_user(researcher)


def words(client: Client, path: str) -> str:
    """The text of a page, its blanks folded."""
    response = client.get(path)
    assert response.status_code == 200, response.content
    return " ".join(Page(response.content.decode()).text.split())


def positions(client: Client, **query: str) -> list[int]:
    response = client.get(f"{BASE}sets/pairs/", query)
    assert response.status_code == 200
    return [row.task.position for row in response.context["rows"]]


def test_a_researcher_sees_sizes_and_counts(
    own: Client, study: Study, annotator: User, tasks: list[Task]
) -> None:
    case = make_case(study, "1001")
    make_summary(case, "It was filed.")
    make_summary(case, "Filed it was.", producer="model-one")
    make_answer(make_assignment(tasks[0], annotator), EQUAL, flagged=True)
    make_answer(make_assignment(tasks[1], annotator), None)
    response = own.get(BASE)
    (row,) = response.context["sets"]
    assert (row.tasks, row.assigned, row.submitted, row.skipped, row.flagged) == (3, 2, 1, 1, 1)
    assert row.needed == 9  # 3 tasks, 3 people each
    assert response.context["case_count"] == 3
    assert response.context["summary_counts"]["model"] == 1
    assert response.context["summary_counts"]["reference"] == 1


def test_an_annotator_sees_own_tasks_and_nobody_elses_work(
    as_user: Any, study: Study, annotator: User, tasks: list[Task]
) -> None:
    other = make_member(study, "annotator", "bert-the-other")
    make_answer(make_assignment(tasks[0], other), EQUAL)
    make_assignment(tasks[1], annotator)
    response = as_user(annotator).get(BASE)
    assert response.context["sets"] == []
    assert "members" not in response.context
    text = response.content.decode()
    assert "bert-the-other" not in text
    assert "annotator-2" not in text
    assert "0 of 1 done" in text


def test_no_control_is_shown_that_the_role_cannot_use(
    as_user: Any, study: Study, pairs: TaskSet, annotator: User, researcher: User, admin: User
) -> None:
    """Every link and form on a study's pages leads somewhere that the person may go."""
    for user in (annotator, researcher, admin):
        client = as_user(user)
        for path in (BASE, f"{BASE}sets/pairs/"):
            response = client.get(path)
            if response.status_code != 200:
                continue
            for target in links(response.content.decode()):
                if target.startswith("/") and not target.startswith("/static/"):
                    assert client.get(target).status_code in (200, 302, 405), (user, target)


def links(html: str) -> list[str]:
    return [found.replace("&amp;", "&") for found in re.findall(r'(?:href|action)="([^"]+)"', html)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [1, 2, 3]),
        ({"form": "list"}, [2]),
        ({"item": "filing_date"}, [1, 3]),
        ({"case": " 1002 "}, [2]),
        ({"state": "waiting"}, [2, 3]),
        ({"state": "flagged"}, [1]),
        ({"state": "skipped"}, [3]),
        ({"form": "nonsense"}, [1, 2, 3]),
        ({"page": "99"}, [1, 2, 3]),
    ],
)
def test_tasks_are_filtered(
    own: Client,
    pairs: TaskSet,
    annotator: User,
    tasks: list[Task],
    query: dict[str, str],
    expected: list[int],
) -> None:
    pairs.overlap = 1
    pairs.save()
    make_answer(make_assignment(tasks[0], annotator), EQUAL, flagged=True)
    make_answer(make_assignment(tasks[2], annotator), None)
    assert positions(own, **query) == expected


def test_a_script_gets_the_table_alone(own: Client, tasks: list[Task]) -> None:
    response = own.get(f"{BASE}sets/pairs/", headers={"HX-Request": "true"})
    text = response.content.decode()
    assert text.strip().startswith('<div id="task-table"')
    assert "<html" not in text
    assert "HX-Request" in response["Vary"]


def test_a_task_shows_both_values_and_every_answer_under_a_pseudonym(
    own: Client, study: Study, annotator: User, tasks: list[Task]
) -> None:
    make_answer(make_assignment(tasks[0], annotator), EQUAL, comment="the same day")
    bert = make_member(study, "annotator", "bert-the-other")
    make_answer(make_assignment(tasks[0], bert), None, skip_reason="illegible")
    text = words(own, f"{BASE}sets/pairs/tasks/{tasks[0].pk}/")
    for part in ("1 May 1999", "May 1, 1999", "annotator-1", "equal", "the same day"):
        assert part in text
    assert "annotator-2" in text
    assert "skipped: illegible" in text
    assert "bert-the-other" not in text


def test_only_the_version_that_counts_is_shown(
    own: Client, annotator: User, tasks: list[Task]
) -> None:
    given = make_assignment(tasks[0], annotator)
    make_answer(given, EQUAL, comment="first thought")
    make_answer(given, {"form": "single", "relation": "different"}, comment="second thought")
    text = words(own, f"{BASE}sets/pairs/tasks/{tasks[0].pk}/")
    assert "second thought" in text
    assert "first thought" not in text


def test_a_matching_is_said_in_words_that_count_from_one(
    own: Client, annotator: User, tasks: list[Task]
) -> None:
    payload = {"form": "list", "pairs": [[1, 0]], "only_model": [0, 2], "only_reference": []}
    make_answer(make_assignment(tasks[1], annotator), payload)
    text = words(own, f"{BASE}sets/pairs/tasks/{tasks[1].pk}/")
    assert "model 2 – reference 1" in text
    assert "only in the model: 1, 3" in text


def test_a_task_about_an_item_that_the_template_does_not_know_is_shown_by_its_key(
    own: Client, pairs: TaskSet
) -> None:
    task = make_comparison(pairs, "a", "b", item_key="colour_of_the_ink")
    assert "colour_of_the_ink" in words(own, f"{BASE}sets/pairs/")
    assert "Case 1001" in words(own, f"{BASE}sets/pairs/tasks/{task.pk}/")
    assert own.get(f"{BASE}agreement/people/").status_code == 200
    assert "colour_of_the_ink" in words(own, f"{BASE}agreement/pairs/rows/")


def test_an_admin_adds_a_member_and_changes_a_role(as_user: Any, admin: User, study: Study) -> None:
    chief = as_user(admin)
    make_user("nina")
    response = chief.post(f"{BASE}people/", {"username": " nina ", "role": "annotator"})
    assert response["Location"] == f"{BASE}people/"
    chief.post(f"{BASE}people/", {"username": "nina", "role": "adjudicator"})
    member = Membership.objects.get(study=study, user__username="nina")
    assert (member.role, member.pseudonym) == ("adjudicator", "annotator-1")
    text = chief.get(f"{BASE}people/").content.decode()
    assert "<td>annotator-1</td><td>Adjudicator</td><td>active</td>" in text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"username": "nobody", "role": "annotator"}, "no active account called “nobody”"),
        ({"username": "gone", "role": "annotator"}, "no active account called “gone”"),
        ({"username": "nina", "role": "king"}, "Select a valid choice"),
        ({}, "This field is required"),
    ],
)
def test_a_member_that_cannot_be_added_is_refused_in_words(
    as_user: Any, admin: User, study: Study, form: dict[str, str], sentence: str
) -> None:
    make_user("nina")
    make_user("gone", is_active=False)
    response = as_user(admin).post(f"{BASE}people/", form)
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert study.memberships.count() == 1


def test_an_import_report_names_files_repairs_and_problems(own: Client, study: Study) -> None:
    file = {
        "path": "cases/a.json",
        "status": "truncated",
        "created": 4,
        "unchanged": 2,
        "repairs": {"smart quotes": 3},
        "problems": [f"line {n}: no case" for n in range(1, 26)],
    }
    totals = {"read": 1, "files": 2, "created": 4, "unchanged": 2, "problems": 25}
    report = ImportReport.objects.create(
        study=study, source="cases/", kind="comparison", report={"files": [file], "totals": totals}
    )
    listed = words(own, f"{BASE}imports/")
    assert "cases/" in listed
    assert "with problems" in listed
    text = words(own, f"{BASE}imports/{report.pk}/")
    for part in ("cases/a.json", "cut off", "smart quotes: 3", "line 5: no case", "and 20 more"):
        assert part in text
    assert "line 6: no case" not in text


@pytest.mark.parametrize(
    ("path", "limit"),
    [("", 16), ("sets/pairs/", 8), ("imports/", 8), ("people/", 6), ("runs/", 12)],
)
def test_ten_tasks_cost_as_many_queries_as_five_hundred(
    as_user: Any,
    study: Study,
    pairs: TaskSet,
    annotator: User,
    admin: User,
    path: str,
    limit: int,
    django_assert_max_num_queries: Any,
) -> None:
    client = as_user(admin)

    def add(count: int) -> None:
        for n in range(count):
            task = make_comparison(pairs, "a", "b", case_id=str(1000 + n % 7))
            make_assignment(task, annotator)
        ImportReport.objects.create(
            study=study, source="a", kind="comparison", report={"files": [], "totals": {}}
        )

    add(10)
    client.get(BASE + path)
    with django_assert_max_num_queries(limit) as few:
        client.get(BASE + path)
    add(490)
    with django_assert_max_num_queries(limit) as many:
        client.get(BASE + path)
    assert len(many.captured_queries) == len(few.captured_queries)


def test_a_page_of_one_task_costs_the_same_with_many_answers(
    own: Client, study: Study, tasks: list[Task], django_assert_num_queries: Any
) -> None:
    path = f"{BASE}sets/pairs/tasks/{tasks[0].pk}/"
    make_answer(make_assignment(tasks[0], make_member(study, "annotator", "first")), EQUAL)
    with django_assert_num_queries(7):
        own.get(path)
    for n in range(12):
        make_answer(make_assignment(tasks[0], make_member(study, "annotator", f"p{n}")), EQUAL)
    with django_assert_num_queries(7):
        own.get(path)


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<b onclick=x>b</b>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,x)",
        "[a](vbscript:x)",
        "![a](https://example.org/x.png)",
        '<https://example.org/" onmouseover=x>',
        '[a](https://x/ "t\\" onclick=x")',
        "```html\n<script>x</script>\n```",
        "<!-- --><svg onload=x>",
        "|a|\n|-|\n|<img src=x onerror=x>|",
        "&lt;script&gt;",
        "\x00<i>",
    ],
)
def test_guidelines_can_make_no_element_of_their_own(source: str) -> None:
    html = str(markdown(source))
    page = Page(html)
    assert page.bad == []
    for tag in ("<script", "<svg", "<img", "<i>", "<b ", "<iframe"):
        assert tag not in html.lower()


def test_guidelines_are_set_as_markdown(as_user: Any, study: Study, annotator: User) -> None:
    set_guidelines(study, "# Rules\n\n1. *Weigh* the substance\n\n| a | b |\n|---|---|\n| c | d |")
    html = str(markdown("# Rules\n\n1. *Weigh*\n\n|a|b|\n|-|-|\n|c|d|\n\n[more](https://x.org/)"))
    for part in ("<h2>Rules</h2>", "<em>Weigh</em>", "<td>c</td>", 'href="https://x.org/"'):
        assert part in html
