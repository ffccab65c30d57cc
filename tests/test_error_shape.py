"""Every error of the API is ``{"detail": ..., "code": ...}``, whatever went wrong."""

from __future__ import annotations

import json
import logging
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.http import Http404
from django.test import Client
from django.urls import include, path
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.errors import (
    Conflict,
    InvalidFile,
    InvalidInput,
    NotAllowed,
    NotConfigured,
    NotFound,
    Refused,
)
from annotation.models import Study, User
from gavel_site import urls as site_urls

SECRET = "secret-in-a-traceback"

RAISED: dict[str, tuple[Exception, int, str]] = {
    "domain-not-found": (NotFound("No."), 404, "not_found"),
    "domain-not-allowed": (NotAllowed("No."), 403, "not_allowed"),
    "domain-conflict": (Conflict("No."), 409, "conflict"),
    "domain-refused": (Refused("No.", code="closed"), 409, "closed"),
    "domain-invalid": (InvalidInput("No."), 422, "invalid"),
    "domain-file": (InvalidFile("No.", path="a.json", place="line 3"), 422, "invalid_file"),
    "domain-setting": (NotConfigured("No."), 503, "not_configured"),
    "throttled": (exceptions.Throttled(wait=7), 429, "throttled"),
    "http404": (Http404("No."), 404, "not_found"),
    "denied": (exceptions.PermissionDenied(), 403, "permission_denied"),
    "parse": (exceptions.ParseError(), 400, "parse_error"),
    "nested": (exceptions.NotFound(detail={"detail": "No.", "more": 1}), 404, "not_found"),
    "fields": (exceptions.ValidationError({"name": ["Too long."]}), 400, "invalid"),
    "unforeseen": (RuntimeError(SECRET), 500, "server_error"),
    "key": (KeyError(SECRET), 500, "server_error"),
}


class Raising(APIView):
    """Raises what its address says."""

    def get(self, request: Request, name: str) -> Response:
        raise RAISED[name][0]


class Reading(APIView):
    """Reads a body."""

    def post(self, request: Request) -> Response:
        return Response({"read": request.data})


def broken_page(request: Any) -> None:
    raise RuntimeError(SECRET)


urlpatterns = [
    path("api/v1/raising/<slug:name>/", Raising.as_view()),
    path("api/v1/reading/", Reading.as_view()),
    path("api/v1/plain/", broken_page),
    path("broken/", broken_page),
    path("", include(site_urls)),
]
for _name in ("handler400", "handler403", "handler404", "handler500"):
    globals()[_name] = getattr(site_urls, _name)

with_raising_views = pytest.mark.urls(__name__)


@pytest.fixture
def reader(researcher: User) -> Client:
    own = Client(raise_request_exception=False)
    own.force_login(researcher)
    return own


def check(response: Any, status: int, code: str) -> dict[str, Any]:
    assert response.status_code == status
    assert response["Content-Type"].startswith("application/")
    body: dict[str, Any] = json.loads(response.content)
    assert body["code"] == code
    assert isinstance(body["detail"], str)
    assert body["detail"]
    assert set(body) <= {"detail", "code", "fields"}
    text = response.content.decode()
    assert "Traceback" not in text
    assert SECRET not in text
    return body


@with_raising_views
@pytest.mark.parametrize("name", sorted(RAISED))
def test_what_a_view_raises(reader: Client, name: str) -> None:
    _, status, code = RAISED[name]
    response = reader.get(f"/api/v1/raising/{name}/")
    body = check(response, status, code)
    assert ("fields" in body) == (name == "fields")
    if name == "throttled":
        assert response["Retry-After"] == "7"


@with_raising_views
def test_an_unforeseen_error_is_logged_with_its_traceback(
    reader: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        reader.get("/api/v1/raising/unforeseen/")
    assert SECRET in caplog.text
    assert "Traceback" in caplog.text


@with_raising_views
def test_an_unforeseen_error_shows_nothing_even_while_debugging(
    reader: Client, settings: Any
) -> None:
    settings.DEBUG = True
    check(reader.get("/api/v1/raising/unforeseen/"), 500, "server_error")


@with_raising_views
def test_an_error_outside_of_the_api_views_has_the_same_shape(reader: Client) -> None:
    check(reader.get("/api/v1/plain/"), 500, "server_error")


@with_raising_views
def test_a_page_that_fails_is_a_page_without_the_traceback(reader: Client) -> None:
    response = reader.get("/broken/")
    assert response.status_code == 500
    text = response.content.decode()
    assert "<h1>" in text
    assert SECRET not in text
    assert "Traceback" not in text


@with_raising_views
def test_a_body_that_is_not_json(reader: Client) -> None:
    response = reader.post("/api/v1/reading/", "a=1", content_type="text/plain")
    check(response, 415, "unsupported_media_type")
    response = reader.post("/api/v1/reading/", "{", content_type="application/json")
    check(response, 400, "parse_error")


def test_a_service_that_breaks(
    reader: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("annotation.api.lists.study_for", broken)
    check(reader.get("/api/v1/studies/study/tasks/"), 500, "server_error")


@pytest.mark.parametrize(
    "address", ["/api/", "/api/v1/", "/api/v2/studies/", "/api/v1/nothing/", "/api/v1/studies/a/b/"]
)
def test_an_unknown_route_for_those_signed_in_and_not(reader: Client, address: str) -> None:
    check(reader.get(address), 404, "not_found")
    check(Client().get(address), 404, "not_found")


def test_an_unknown_route_elsewhere_is_a_page(reader: Client) -> None:
    response = reader.get("/nothing/")
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")


def test_401_403_and_404_are_told_apart(
    as_user: Any, study: Study, annotator: User, outsider: User
) -> None:
    address = "/api/v1/studies/study/answers/"
    check(Client().get(address), 401, "not_authenticated")
    check(as_user(annotator).get(address), 403, "not_allowed")
    check(as_user(outsider).get(address), 404, "not_found")


def test_a_wrong_method(reader: Client) -> None:
    check(reader.post("/api/v1/studies/"), 405, "method_not_allowed")


def test_a_form_that_the_api_does_not_write(reader: Client) -> None:
    response = reader.get("/api/v1/studies/", headers={"Accept": "text/csv"})
    check(response, 406, "not_acceptable")
    check(reader.get("/api/v1/studies/?format=csv"), 404, "not_found")


def test_a_page_beyond_the_last(reader: Client) -> None:
    for page in ("2", "0", "nonsense"):
        check(reader.get(f"/api/v1/studies/?page={page}"), 404, "not_found")


def test_the_schema_too(db: None) -> None:
    check(Client().get("/api/v1/schema/"), 401, "not_authenticated")


def test_a_page_asked_for_by_a_script_gets_the_same_shape(as_user: Any, outsider: User) -> None:
    response = as_user(outsider).get("/studies/nothing/", headers={"Accept": "application/json"})
    check(response, 404, "not_found")


def test_the_openapi_schema_is_valid_and_without_a_warning() -> None:
    out = StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", format="openapi-json", stdout=out)
    schema = json.loads(out.getvalue())
    parameters = schema["paths"]["/api/v1/studies/{slug}/answers/"]["get"]["parameters"]
    assert {row["name"] for row in parameters} == {
        "all", "annotator", "case", "item", "outcome", "page", "slug", "task", "task_set",
    }  # fmt: skip


def test_the_schema_page_asks_for_nothing_from_elsewhere(reader: Client) -> None:
    page = reader.get("/api/v1/docs/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "<style" not in text
    assert "//cdn" not in text
    script = reader.get("/api/v1/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert reader.get("/api/v1/schema/").json()["info"]["title"] == "Gavel API"
