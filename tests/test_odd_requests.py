"""Queries, forms and bodies that no page of ours sends, to every address: never a server error.

PostgreSQL is the stricter of the two databases: it refuses NUL, and numbers that its columns
cannot hold. These tests say most when they run on it.
"""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client

from annotation.models import Assignment
from tests.factories import make_user
from tests.test_permissions import ADMIN_ROUTES, TABLE, World, address, build, data_for

VALUES: tuple[str | bytes, ...] = (
    "abc", "-1", "99999999999999999999", "9" * 5000, "a\x00'\"><b>", b"\xed\xa0\x80\xff",
)  # fmt: skip
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"
# What pages pass on as a whole is not seen to be read.
PASSED_ON = {"row", "panel", "from"}


@pytest.fixture
def world(db: None) -> World:
    found = build("one")
    found.people["site_admin"] = make_user("chief", is_staff=True, is_superuser=True)
    return found


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that were looked up in a query or a form."""
    names: set[str] = set()
    looked_up, contained, listed = QueryDict.__getitem__, QueryDict.__contains__, QueryDict.getlist

    def getitem(self: QueryDict, name: str) -> Any:
        names.add(name)
        return looked_up(self, name)

    def contains(self: QueryDict, name: object) -> bool:
        names.add(str(name))
        return contained(self, name)

    def getlist(self: QueryDict, name: str, default: Any = None) -> Any:
        names.add(name)
        return listed(self, name, default)

    monkeypatch.setattr(QueryDict, "__getitem__", getitem)
    monkeypatch.setattr(QueryDict, "__contains__", contains)
    monkeypatch.setattr(QueryDict, "getlist", getlist)
    return names


def client_of(route: str, world: World) -> Client:
    """Logged in as somebody who gets past the question of rights."""
    client = Client(raise_request_exception=False)
    client.force_login(world.people["annotator" if route.startswith("work/") else "site_admin"])
    return client


def ask(client: Client, path: str, form: dict[str, Any] | None = None) -> int:
    """The status of a request, whose effects are undone."""
    with transaction.atomic():
        if form is None:
            response = client.get(path)
        else:
            body = urlencode(form, doseq=True)
            response = client.post(path, body, content_type="application/x-www-form-urlencoded")
        transaction.set_rollback(True)
    return int(response.status_code)


def admin_lists() -> list[str]:
    lists = [r for r in ADMIN_ROUTES if r.count("/") == 3 and "<" not in r and "^" not in r]
    return [route for route in lists if route.split("/")[1] != "password_change"]


@pytest.mark.parametrize("route", sorted(route for route in TABLE if "200" in TABLE[route].get))
def test_an_odd_query_is_answered(route: str, world: World, read: set[str]) -> None:
    client, path = client_of(route, world), address(route, TABLE[route], world.ids)
    assert ask(client, path) in (200, 302)
    found = {
        (name, value): status
        for name in sorted(read | (PASSED_ON if route.startswith("work/a/") else set()))
        for value in VALUES
        if (status := ask(client, f"{path}?{urlencode({name: value})}")) >= 500
    }
    assert found == {}


@pytest.mark.parametrize("route", admin_lists())
def test_an_odd_query_of_the_admin_is_answered(route: str, world: World) -> None:
    client = client_of(route, world)
    found = {
        (name, value): status
        for name in ("q", "p", "o", "id__exact", "study__id__exact", "unheard_of")
        for value in VALUES
        if (status := ask(client, f"/{route}?{urlencode({name: value})}")) >= 500
    }
    assert found == {}


@pytest.mark.parametrize("route", sorted(route for route in TABLE if "<int:" in route))
def test_a_number_that_no_row_has_is_not_found(route: str, world: World) -> None:
    client, row = client_of(route, world), TABLE[route]
    for number in (0, 2**31, 2**63, 10**20, 10**30):
        path = address(route, row, dict.fromkeys(world.ids, number))
        assert ask(client, path) in (404, 405)
        assert ask(client, path, data_for(route, row, world.ids)) in (404, 405)


def posted() -> list[str]:
    return sorted(r for r in TABLE if any(s in TABLE[r].post.split() for s in ("200", "302")))


@pytest.mark.parametrize("route", [*posted(), "login/"])
def test_an_odd_form_is_answered(route: str, world: World, read: set[str]) -> None:
    client, row = client_of(route, world), TABLE[route]
    path, form = address(route, row, world.ids), data_for(route, row, world.ids)
    assert ask(client, path, form) < 500
    found = {
        (name, value): status
        for name in sorted(read | set(form) | {"comment", "skip_reason", "act"})
        for value in VALUES
        if (status := ask(client, path, {**form, "note": "1", name: value})) >= 500
    }
    assert found == {}


BODIES: dict[str, tuple[bytes, str]] = {
    "three megabytes": (b"comment=" + b"x" * 3_000_000, "application/x-www-form-urlencoded"),
    "two thousand fields": (b"&".join(b"f%d=1" % n for n in range(2000)), FORM),
    "no UTF-8": (b"version=0&comment=\xff\xfe%ff%ed%a0%80&note=1", FORM),
    "another encoding": (b"v\0e\0=\0\x31\0", FORM + "; charset=utf-16"),
    "an encoding that is none": (b"version=0", FORM + "; charset=nonsense"),
    "half a multipart": (b"--x\r\nContent-Disposition: form-data; name=", MULTIPART),
    "a multipart that is none": (b"nothing", "multipart/form-data"),
    "a file where a text belongs": (
        b'--x\r\nContent-Disposition: form-data; name="version"; filename="a"\r\n\r\n0'
        b"\r\n--x--\r\n",
        MULTIPART,
    ),
    "JSON": (b'{"version": 0}', "application/json"),
    "broken JSON": (b'{"version": ', "application/json"),
    "nothing that is known": (b"\0\1\2", "application/octet-stream"),
}


@pytest.mark.parametrize("name", BODIES)
def test_an_odd_body_is_answered(name: str, world: World) -> None:
    body, kind = BODIES[name]
    for route in ("work/a/<int:pk>/act/", "work/a/<int:pk>/submit/", "account/", "login/"):
        client, path = client_of(route, world), address(route, TABLE[route], world.ids)
        with transaction.atomic():
            status = client.generic("POST", path, body, content_type=kind).status_code
            transaction.set_rollback(True)
        assert 200 <= status < 500, route
    client = client_of("api", world)
    assert client.generic("POST", "/api/v1/studies/", body, content_type=kind).status_code < 500


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "ODD"])
def test_a_method_that_no_page_uses_changes_nothing(method: str, world: World) -> None:
    before = dict(Assignment.objects.values_list("pk", "version"))
    for route, row in TABLE.items():
        client, path = client_of(route, world), address(route, row, world.ids)
        assert client.generic(method, path).status_code < 500, path
    assert dict(Assignment.objects.values_list("pk", "version")) == before


def test_a_text_comes_through_the_form_as_it_was_typed(world: World) -> None:
    """Line ends are LF whatever the browser sends, and NUL is U+FFFD; nothing else changes."""
    typed = "😀 e\u0301 \u05d0\u202eabc\u202c 𝔸\r\n\x00 \u2028 end"
    path = f"/work/a/{world.ids['assignment']}/submit/"
    form = {"version": 0, "op_id": uuid.uuid4(), "relation": "equal", "note": "1"}
    client = client_of("work/", world)
    assert client.post(path, {**form, "comment": typed}).status_code == 302
    answer = Assignment.objects.get(pk=world.ids["assignment"]).current
    assert answer is not None
    assert answer.comment == "😀 e\u0301 \u05d0\u202eabc\u202c 𝔸\n\ufffd \u2028 end"


def test_a_text_that_is_too_long_is_refused_and_shown_again(world: World) -> None:
    path = f"/work/a/{world.ids['assignment']}/submit/"
    form = {"version": 0, "op_id": uuid.uuid4(), "relation": "equal", "note": "1"}
    response = client_of("work/", world).post(path, {**form, "comment": "long " * 4000})
    assert response.status_code == 422
    text = response.content.decode()
    assert "10,000 characters" in text
    assert "long " * 3999 in text


@pytest.mark.parametrize(
    "header",
    [
        {"User-Agent": "u" * 5000},
        {"User-Agent": "\xff\x7f"},
        {"Accept": "a" * 5000},
        {"Referer": "r" * 5000},
        {"X-Forwarded-For": "f" * 5000},
        {"Cookie": "sessionid=" + "s" * 5000 + "; csrftoken=\x00; messages=[[]"},
        {"Authorization": "Bearer \x00" + "t" * 5000},
        {"Accept-Language": "l" * 5000},
        {"HX-Current-URL": "\x00", "HX-Request": "true"},
    ],
    ids=lambda header: next(iter(header)),
)
def test_an_odd_header_is_answered(header: dict[str, str], world: World) -> None:
    """Failed sign-ins keep some headers in columns of their own. (The web server refuses NUL.)"""
    client = Client(raise_request_exception=False, headers=header)
    wrong = {"username": "chief", "password": "wrong"}
    assert client.post("/login/", wrong).status_code in (200, 422)
    for path in ("/", "/login/", "/api/v1/studies/", "/studies/one/", "/health/", "/nothing/"):
        assert client.get(path).status_code < 500, path
