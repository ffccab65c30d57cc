"""Who may do what: every address of the site, with every role and method, against one table.

A new address fails here until it stands in the table.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from agent.models import ExtractionRun
from annotation.managing.services import set_guidelines
from annotation.models import (
    Assignment,
    Checklist,
    ImportJob,
    ImportReport,
    Membership,
    SourceDocument,
    Study,
    User,
)
from evaluation.models import JudgeRun, MetaEvaluation
from tests.factories import (
    make_answer,
    make_assignment,
    make_comparison,
    make_member,
    make_run,
    make_study,
    make_summary,
    make_task_set,
    make_user,
    make_verdict,
)

# The columns of the table. "other" stands for each of the four roles in another study;
# "colleague" is a second annotator, whose tasks are not those in the addresses.
COLUMNS = (
    "anonymous", "outsider", "other", "annotator", "colleague", "adjudicator", "researcher",
    "admin", "site_admin",
)  # fmt: skip
# Where those go who may not enter the admin (its sign-out leads to its first page, and on).
PUT_OFF = ("/admin/login/", "/login/", "/admin/")
OTHERS = ("other_annotator", "other_adjudicator", "other_researcher", "other_admin")


@dataclass(frozen=True)
class Row:
    """The statuses of one address by column, for GET and POST.

    ``pk`` and ``key`` name what of the world stands in the address; ``data`` is a form that does
    the thing when it is posted by somebody who may.
    """

    get: str
    post: str
    pk: str = ""
    key: str = "pairs"
    data: dict[str, Any] = field(default_factory=dict)


def everybody(status: int, anonymous: int = 302) -> str:
    return " ".join([str(anonymous), *[str(status)] * 8])


# Columns:    anon out oth ann col adj res adm site
MEMBERS = "   302 404 404 200 200 200 200 200 200"
READERS = "   302 404 404 403 403 403 200 200 200"
READERS_DO = "302 404 404 403 403 403 302 302 302"
ADMINS = "    302 404 404 403 403 403 403 200 200"
ADMINS_DO = " 302 404 404 403 403 403 403 302 302"
ANNOTATORS = "302 404 404 200 200 403 403 403 403"
OWNER = "     302 404 404 200 404 404 404 404 404"
OWNER_DO = "  302 404 404 302 404 404 404 404 404"
API_SELF = "  401 200 200 200 200 200 200 200 200"
API_MEMBERS = "401 404 404 200 200 200 200 200 200"
API_READERS = "401 404 404 403 403 403 200 200 200"
NO = everybody(405)
API_NO = everybody(405, anonymous=401)

WRITE = {"version": 0, "op_id": str(uuid.UUID(int=1))}

TABLE: dict[str, Row] = {
    "": Row(everybody(200), NO),
    "health/": Row(everybody(200, anonymous=200), everybody(405, anonymous=405)),
    "account/": Row(everybody(200), everybody(422)),
    "account/token/": Row(NO, everybody(200), data={"act": "make"}),
    "design/": Row("302 404 404 404 404 404 404 404 200", NO),
    "design/<slug:sample>/": Row("302 404 404 404 404 404 404 404 200", NO),
    "login/": Row(everybody(200, anonymous=200), everybody(200, anonymous=200)),
    "logout/": Row(NO, everybody(302)),
    "studies/<slug:slug>/": Row(MEMBERS, NO),
    "studies/<slug:slug>/people/": Row(
        ADMINS, ADMINS_DO, data={"username": "otto", "role": "researcher"}
    ),
    "studies/<slug:slug>/imports/": Row(READERS, NO),
    "studies/<slug:slug>/imports/new/": Row(READERS, READERS.replace("200", "422")),
    "studies/<slug:slug>/imports/<int:pk>/": Row(READERS, NO, pk="report"),
    "studies/<slug:slug>/imports/<int:pk>/<slug:suffix>/": Row(READERS, NO, pk="report"),
    "studies/<slug:slug>/uploads/<int:pk>/": Row(READERS, NO, pk="job"),
    "studies/<slug:slug>/uploads/<int:pk>/progress/": Row(
        READERS.replace("200", "286"), NO, pk="job"
    ),
    "studies/<slug:slug>/uploads/<int:pk>/act/": Row(
        NO, READERS_DO, pk="job", data={"act": "start"}
    ),
    "studies/<slug:slug>/uploads/<int:pk>/preview/<slug:suffix>/": Row(READERS, NO, pk="job"),
    "studies/<slug:slug>/sets/<slug:key>/": Row(READERS, NO),
    "studies/<slug:slug>/sets/<slug:key>/tasks/<int:pk>/": Row(READERS, NO, pk="task"),
    "studies/<slug:slug>/sets/<slug:key>/assign/": Row(
        READERS, READERS_DO, data={"annotators": ["one-annotator"], "per_task": 1, "seed": 0}
    ),
    "studies/<slug:slug>/export/": Row(READERS, READERS.replace("200", "422")),
    "work/<int:set_id>/": Row(ANNOTATORS, NO, pk="task_set"),
    "work/<int:set_id>/next/": Row("302 404 404 302 200 403 403 403 403", NO, pk="task_set"),
    "work/<int:set_id>/guidelines/": Row(ANNOTATORS, NO, pk="task_set"),
    "work/a/<int:pk>/": Row(OWNER, NO, pk="assignment"),
    "work/a/<int:pk>/act/": Row(NO, OWNER_DO, pk="assignment", data=WRITE | {"relation": "equal"}),
    "work/a/<int:pk>/submit/": Row(
        NO, OWNER_DO, pk="assignment", data=WRITE | {"relation": "equal"}
    ),
    "work/a/<int:pk>/skip/": Row(
        NO, OWNER_DO, pk="assignment", data=WRITE | {"skip_reason": "illegible"}
    ),
    "work/a/<int:pk>/undo/": Row(
        NO, OWNER_DO.replace("302 404 404 302", "302 404 404 422"), pk="assignment", data=WRITE
    ),
    "work/a/<int:pk>/redo/": Row(
        NO, OWNER_DO.replace("302 404 404 302", "302 404 404 422"), pk="assignment", data=WRITE
    ),
    "work/a/<int:pk>/reopen/": Row(
        NO, OWNER_DO, pk="done", data={"version": 0, "op_id": str(uuid.UUID(int=2))}
    ),
    "work/a/<int:pk>/visit/": Row(
        NO, OWNER_DO.replace("302 404 404 302", "302 404 404 422"), pk="assignment"
    ),
    "work/a/<int:pk>/fast/": Row(NO, OWNER_DO, pk="assignment", data={"fast": "on"}),
    "studies/<slug:slug>/runs/": Row(READERS, READERS_DO, data={"repeats": 1}),
    "studies/<slug:slug>/runs/<int:pk>/": Row(READERS, NO, pk="run"),
    "studies/<slug:slug>/runs/<int:pk>/progress/": Row(READERS, NO, pk="run"),
    "studies/<slug:slug>/runs/<int:pk>/act/": Row(NO, READERS_DO, pk="run", data={"act": "cancel"}),
    "studies/<slug:slug>/questions/<int:pk>/": Row(READERS, NO, pk="question"),
    "studies/<slug:slug>/verdicts/": Row(READERS, NO),
    "studies/<slug:slug>/verdicts/<int:pk>/": Row(READERS, NO, pk="task"),
    "studies/<slug:slug>/agreement/judges/": Row(READERS, NO),
    "studies/<slug:slug>/agreement/people/": Row(READERS, NO),
    "studies/<slug:slug>/cases/": Row(READERS, NO),
    "studies/<slug:slug>/cases/<int:pk>/": Row(READERS, NO, pk="case"),
    "studies/<slug:slug>/extractions/": Row(READERS, NO),
    "studies/<slug:slug>/extractions/<int:pk>/": Row(READERS, NO, pk="extraction"),
    "studies/<slug:slug>/checklists/<int:pk>/": Row(READERS, NO, pk="checklist"),
    "studies/<slug:slug>/texts/documents/<int:pk>/": Row(READERS, NO, pk="document"),
    "studies/<slug:slug>/texts/summaries/<int:pk>/": Row(READERS, NO, pk="summary"),
    "studies/<slug:slug>/agreement/coverage/": Row(READERS, NO),
    "studies/<slug:slug>/agreement/coverage/<int:pk>/": Row(READERS, NO, pk="checklist"),
    "studies/<slug:slug>/agreement/<slug:key>/rows/": Row(READERS, NO),
    "studies/<slug:slug>/agreement/<slug:key>/ratings/": Row(READERS, NO, key="style"),
    "studies/<slug:slug>/agreement/saved/": Row(NO, READERS_DO),
    "studies/<slug:slug>/agreement/saved/<int:pk>/": Row(READERS, NO, pk="saved"),
    "api/v1/studies/": Row(API_SELF, API_NO),
    "api/v1/studies/<slug:slug>/": Row(API_MEMBERS, API_NO),
    "api/v1/studies/<slug:slug>/task-sets/": Row(API_MEMBERS, API_NO),
    "api/v1/studies/<slug:slug>/tasks/": Row(API_READERS, API_NO),
    "api/v1/studies/<slug:slug>/tasks/<int:pk>/": Row(API_READERS, API_NO, pk="task"),
    "api/v1/studies/<slug:slug>/answers/": Row(API_READERS, API_NO),
    "api/v1/studies/<slug:slug>/runs/": Row(API_READERS, API_NO),
    "api/v1/studies/<slug:slug>/runs/<int:pk>/": Row(API_READERS, API_NO, pk="run"),
    "api/v1/studies/<slug:slug>/verdicts/": Row(API_READERS, API_NO),
    "api/v1/studies/<slug:slug>/meta-evaluations/": Row(API_READERS, API_NO),
    "api/v1/studies/<slug:slug>/meta-evaluations/<int:pk>/": Row(API_READERS, API_NO, pk="saved"),
    "api/v1/schema/": Row(API_SELF, API_NO),
    "api/v1/docs/": Row(everybody(200), NO),
}


def walk(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """The routes of every address, nested ones in full."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from walk(pattern.url_patterns, route)
        else:
            yield route


ROUTES = list(walk(get_resolver().url_patterns))
ADMIN_ROUTES = [route for route in ROUTES if route.startswith("admin/")]


@dataclass
class World:
    """One study with everything that an address can name, and who is who in it."""

    people: dict[str, User]
    ids: dict[str, int]


def build(slug: str) -> World:
    """A study with an annotator (one task open, one done), a run, a report, saved figures."""
    study = make_study(slug)
    roles = ("annotator", "adjudicator", "researcher", "admin")
    people = {role: make_member(study, role, f"{slug}-{role}") for role in roles}
    people["colleague"] = make_member(study, "annotator", f"{slug}-colleague")
    set_guidelines(study, "# How to")
    pairs = make_task_set(study)
    make_task_set(study, "style", kind="style")
    task, second = (make_comparison(pairs, "a", "b") for _ in range(2))
    done = make_assignment(second, people["annotator"])
    make_answer(done, {"form": "single", "relation": "equal"})
    run = make_run(pairs, status=JudgeRun.Status.RUNNING)
    question = run.judge_tasks.order_by("pk")[0]
    make_verdict(question, {"form": "single", "relation": "equal"})
    report = ImportReport.objects.create(
        study=study, source="a.json", kind="comparison", report={"files": [], "totals": {}}
    )
    job = ImportJob.objects.create(
        study=study,
        format="comparison",
        names=["a.json"],
        status=ImportJob.Status.CHECKED,
        preview={"files": [], "totals": {}},
    )
    saved = MetaEvaluation.objects.create(
        study=study, inputs={}, seed=0, draws=1, rows=[], versions={}
    )
    summary = make_summary(task.case, "It was filed.")
    document = SourceDocument.objects.create(
        case=task.case, name="order", position=1, text="Ordered.", original_sha256="0"
    )
    _, of_judge = (
        Checklist.objects.create(
            case=task.case, summary=summary, template=study.template, producer_kind=kind
        )
        for kind in ("gold", "judge")
    )
    extraction = ExtractionRun.objects.create(
        case=task.case, checklist=of_judge, source="imported", model="m", method="all"
    )
    return World(
        people,
        {
            "task": task.pk,
            "case": task.case_id,
            "checklist": of_judge.pk,
            "summary": summary.pk,
            "document": document.pk,
            "extraction": extraction.pk,
            "task_set": pairs.pk,
            "assignment": make_assignment(task, people["annotator"]).pk,
            "done": done.pk,
            "run": run.pk,
            "question": question.pk,
            "report": report.pk,
            "job": job.pk,
            "saved": saved.pk,
            "judge": run.judge_id,
        },
    )


@pytest.fixture
def worlds(db: None) -> tuple[World, World]:
    one, two = build("one"), build("two")
    one.people |= {f"other_{role}": user for role, user in two.people.items()}
    one.people["outsider"] = make_user("otto")
    one.people["site_admin"] = make_user("chief", is_staff=True, is_superuser=True)
    return one, two


def address(route: str, row: Row, ids: dict[str, int], slug: str = "one", key: str = "") -> str:
    number = str(ids[row.pk]) if row.pk else ""
    return "/" + (
        route.replace("<slug:slug>", slug)
        .replace("<slug:key>", key or row.key)
        .replace("<slug:sample>", "single")
        .replace("<slug:suffix>", "csv")
        .replace("<int:pk>", number)
        .replace("<int:set_id>", number)
    )


def ask(user: User | None, method: str, path: str, data: dict[str, Any]) -> int:
    """The status of a request, whose effects are undone."""
    client = Client()
    if user is not None:
        client.force_login(user)
    with transaction.atomic():
        response = getattr(client, method)(path, data if method == "post" else None)
        transaction.set_rollback(True)
    return int(response.status_code)


def data_for(route: str, row: Row, ids: dict[str, int]) -> dict[str, Any]:
    if route == "studies/<slug:slug>/runs/":
        return row.data | {"judge": ids["judge"], "task_set": ids["task_set"]}
    return row.data


def test_every_address_stands_in_the_table() -> None:
    assert set(ROUTES) - set(ADMIN_ROUTES) == set(TABLE)
    assert len(ADMIN_ROUTES) > 10


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("route", sorted(TABLE))
def test_each_role(route: str, method: str, worlds: tuple[World, World]) -> None:
    row, (world, _) = TABLE[route], worlds
    statuses = [int(status) for status in getattr(row, method).split()]
    expected = dict(zip(COLUMNS, statuses, strict=True))
    other = expected.pop("other")
    expected |= dict.fromkeys(OTHERS, other)
    path, data = address(route, row, world.ids), data_for(route, row, world.ids)
    found = {role: ask(world.people.get(role), method, path, data) for role in expected}
    assert found == expected


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("route", sorted(route for route in TABLE if "<slug:slug>" in route))
def test_what_belongs_to_another_study_is_not_found_even_by_those_with_every_right(
    route: str, method: str, worlds: tuple[World, World]
) -> None:
    row, (world, other) = TABLE[route], worlds
    chief = world.people["site_admin"]
    right = int(getattr(row, method).split()[-1])
    if right == 405:
        expected = 405
    elif row.pk:
        expected = 404
    else:
        expected = right
    path = address(route, row, other.ids if row.pk else world.ids)
    assert ask(chief, method, path, data_for(route, row, world.ids)) == expected
    if "<slug:key>" in route:
        path = address(route, row, world.ids, key="nothing")
        assert ask(chief, method, path, row.data) == (405 if right == 405 else 404)
    path = address(route, row, world.ids, slug="nothing")
    assert ask(chief, method, path, row.data) == (405 if right == 405 else 404)


@pytest.mark.parametrize("method", ["get", "post"])
def test_the_admin_is_for_site_admins_alone(method: str, worlds: tuple[World, World]) -> None:
    world, _ = worlds
    staff = make_user("staff", is_staff=True)
    people = [None, staff, *(user for role, user in world.people.items() if role != "site_admin")]
    clients: list[Client] = []
    for user in people:
        client = Client()
        if user is not None:
            client.force_login(user)
        clients.append(client)
    for route in ADMIN_ROUTES:
        path = admin_path(route)
        for client in clients:
            response = getattr(client, method)(path)
            assert response.status_code == 302, path
            assert urlsplit(response["Location"]).path in PUT_OFF, path


def admin_path(route: str) -> str:
    if "^" in route:
        return "/admin/annotation/"
    if "(?P" in route:
        return "/admin/nothing/"
    for part in ("<path:object_id>", "<path:content_type_id>", "<id>"):
        route = route.replace(part, "1")
    return "/" + route


def test_a_site_admin_sees_every_list_of_the_admin(worlds: tuple[World, World]) -> None:
    client = Client()
    client.force_login(worlds[0].people["site_admin"])
    lists = [r for r in ADMIN_ROUTES if r.count("/") == 3 and "<" not in r and "^" not in r]
    assert "admin/auth/group/" in lists
    for route in ["admin/", *(r for r in lists if "password_change" not in r)]:
        assert client.get("/" + route).status_code == 200, route


def test_the_admin_sends_people_to_the_sites_own_sign_in_page(
    worlds: tuple[World, World],
) -> None:
    world, _ = worlds
    client = Client()
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0] == "/login/?next=/admin/"
    client.force_login(world.people["researcher"])
    text = client.get("/admin/", follow=True).content.decode()
    assert "may not see that page" in text
    client.force_login(world.people["site_admin"])
    assert client.get("/admin/login/?next=https://example.org/")["Location"] == "/admin/"


def test_only_few_addresses_answer_those_who_are_not_signed_in(db: None) -> None:
    open_to_all = {
        route for route, row in TABLE.items() if row.get.split()[0] not in ("302", "401", "405")
    }
    assert open_to_all == {"health/", "login/"}
    static = Client().get("/static/css/base.css")
    assert b"".join(static.streaming_content)
    assert static.status_code == 200


def test_a_deactivated_member_is_signed_out(worlds: tuple[World, World]) -> None:
    world, _ = worlds
    user = world.people["researcher"]
    client = Client()
    client.force_login(user)
    assert client.get("/studies/one/").status_code == 200
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get("/studies/one/").status_code == 302
    assert client.get("/api/v1/studies/").status_code == 401


def test_who_annotates_no_longer_loses_the_own_tasks(worlds: tuple[World, World]) -> None:
    world, _ = worlds
    user = world.people["annotator"]
    Membership.objects.filter(user=user).update(role="researcher")
    path = f"/work/a/{world.ids['assignment']}/"
    assert ask(user, "get", path, {}) == 403
    assert ask(user, "post", path + "submit/", WRITE | {"relation": "equal"}) == 403


def test_the_id_of_a_colleagues_answer_gives_nothing_away(worlds: tuple[World, World]) -> None:
    """Another's task and one that does not exist answer with the same words."""
    world, _ = worlds
    client = Client()
    client.force_login(world.people["colleague"])
    theirs = client.get(f"/work/a/{world.ids['assignment']}/")
    nobodys = client.get(f"/work/a/{Assignment.objects.order_by('-pk')[0].pk + 1}/")
    assert (theirs.status_code, nobodys.status_code) == (404, 404)
    assert theirs.content == nobodys.content


@pytest.mark.parametrize("query", ["run", "set"])
def test_a_query_cannot_name_what_belongs_to_another_study(
    query: str, worlds: tuple[World, World]
) -> None:
    world, other = worlds
    JudgeRun.objects.update(status=JudgeRun.Status.DONE)
    other_set = make_task_set(Study.objects.get(slug="two"), "only-in-two")
    chief = world.people["site_admin"]
    if query == "run":
        path = f"/studies/one/agreement/pairs/rows/?run={other.ids['run']}"
    else:
        path = f"/studies/one/agreement/judges/?set={other_set.key}"
    assert ask(chief, "get", path, {}) == 404


def test_a_form_cannot_name_what_belongs_to_another_study(worlds: tuple[World, World]) -> None:
    world, other = worlds
    chief = world.people["site_admin"]
    run = {"judge": world.ids["judge"], "task_set": other.ids["task_set"], "repeats": 1}
    assert ask(chief, "post", "/studies/one/runs/", run) == 422
    people = {"annotators": ["two-annotator"], "per_task": 1, "seed": 0}
    assert ask(chief, "post", "/studies/one/sets/pairs/assign/", people) == 422
