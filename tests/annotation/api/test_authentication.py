"""Signing in with a token, and the account page where it is made."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.managing.tokens import make_token, revoke_token, user_by_token
from annotation.models import ApiToken, AuditEntry, Study, User
from tests.factories import make_user

URL = "/api/v1/studies/"


def status(token: str, word: str = "Bearer") -> int:
    return Client().get(URL, headers={"Authorization": f"{word} {token}"}).status_code


@pytest.mark.parametrize("word", ["Bearer", "bearer", "Token"])
def test_a_token_signs_its_owner_in(study: Study, researcher: User, word: str) -> None:
    _, token = make_token(researcher)
    response = Client().get(URL, headers={"Authorization": f"{word} {token}"})
    assert [row["slug"] for row in response.json()["results"]] == ["study"]


def test_without_a_token_or_a_session_the_answer_is_401(db: None) -> None:
    response = Client().get(URL)
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["code"] == "not_authenticated"


@pytest.mark.parametrize("header", ["Bearer", "Bearer a b", "Bearer nonsense", "Bearer \xff\xfe"])
def test_a_header_that_names_no_token_is_401(db: None, header: str) -> None:
    response = Client().get(URL, headers={"Authorization": header})
    assert response.status_code == 401
    assert response.json()["code"] == "authentication_failed"


def test_a_wrong_token_is_not_outweighed_by_a_session(as_user: Any, researcher: User) -> None:
    response = as_user(researcher).get(URL, headers={"Authorization": "Bearer nonsense"})
    assert response.status_code == 401


def test_only_a_digest_is_stored(researcher: User) -> None:
    row, token = make_token(researcher)
    assert row.digest == hashlib.sha256(token.encode()).hexdigest()
    assert len(token) >= 43
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM annotation_apitoken")
        stored = repr(cursor.fetchall())
    assert token not in stored
    assert token[12:] not in stored
    audit = repr(list(AuditEntry.objects.values("detail", "target", "action")))
    assert token not in audit


def test_a_revoked_token_is_refused(researcher: User) -> None:
    _, token = make_token(researcher)
    assert status(token) == 200
    assert revoke_token(researcher) is True
    assert status(token) == 401
    assert revoke_token(researcher) is False


def test_a_new_token_ends_the_old_one(researcher: User) -> None:
    _, old = make_token(researcher)
    _, new = make_token(researcher)
    assert old != new
    assert (status(old), status(new)) == (401, 200)
    assert ApiToken.objects.filter(user=researcher, revoked_at__isnull=True).count() == 1


def test_the_token_of_a_deactivated_person_is_refused(researcher: User) -> None:
    _, token = make_token(researcher)
    researcher.is_active = False
    researcher.save()
    assert status(token) == 401
    assert user_by_token(token) is None


def test_the_last_use_is_noted_now_and_then(researcher: User) -> None:
    row, token = make_token(researcher)
    assert row.last_used_at is None
    status(token)
    row.refresh_from_db()
    first = row.last_used_at
    assert first is not None
    status(token)
    row.refresh_from_db()
    assert row.last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=6))
    status(token)
    row.refresh_from_db()
    assert row.last_used_at is not None
    assert row.last_used_at >= first


def test_the_account_page_shows_a_new_token_once(as_user: Any, researcher: User) -> None:
    own = as_user(researcher)
    assert "You have none" in own.get("/account/").content.decode()
    page = own.post("/account/token/", {"act": "make"}).content.decode()
    (token,) = re.findall(r"gavel_[\w-]{43}", page)
    assert status(token) == 200
    again = own.get("/account/").content.decode()
    assert token not in again
    assert token[:12] in again


def test_the_page_with_a_new_token_is_stored_nowhere(as_user: Any, researcher: User) -> None:
    response = as_user(researcher).post("/account/token/", {"act": "make"})
    assert "no-store" in response["Cache-Control"]


def test_the_account_page_revokes(as_user: Any, researcher: User) -> None:
    own = as_user(researcher)
    _, token = make_token(researcher)
    response = own.post("/account/token/", {"act": "revoke"}, follow=True)
    assert "revoked" in response.content.decode()
    assert status(token) == 401


def test_one_can_touch_only_ones_own_token(as_user: Any, researcher: User) -> None:
    _, token = make_token(researcher)
    stranger = as_user(make_user("stranger"))
    stranger.post("/account/token/", {"act": "revoke", "user": researcher.pk})
    stranger.post("/account/token/", {"act": "make", "user": researcher.pk})
    assert status(token) == 200


def test_another_act_is_refused_with_a_sentence(as_user: Any, researcher: User) -> None:
    response = as_user(researcher).post("/account/token/", {"act": "print"})
    assert response.status_code == 422
    assert "act=make" in response.content.decode()
    assert not ApiToken.objects.exists()


def test_a_session_cannot_write_without_the_csrf_token(researcher: User) -> None:
    own = Client(enforce_csrf_checks=True)
    own.force_login(researcher)
    response = own.post(URL)
    assert response.status_code == 403
    assert "CSRF" in response.json()["detail"]
