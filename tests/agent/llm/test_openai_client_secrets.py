"""What leaves the process, and that the key appears nowhere else."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable

import pytest

from agent.llm.client import ChatRequest
from agent.llm.errors import ModelError
from agent.llm.openai_client import OpenAIClient
from agent.llm.retry import RetryPolicy
from annotation.errors import InvalidInput
from tests.agent.llm.conftest import MakeClient
from tests.fake_openai import FakeOpenAI, Reply, answer, failure, raw

Ask = Callable[..., ChatRequest]

KEY = "sk-live-0123456789"


def test_only_the_key_and_the_body_are_sent(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-of-the-environment",
        "OPENAI_ADMIN_KEY": "sk-admin-of-the-environment",
        "OPENAI_ORG_ID": "org-of-the-environment",
        "OPENAI_PROJECT_ID": "proj-of-the-environment",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer of-the-environment\nX-Spy: 1",
    }.items():
        monkeypatch.setenv(name, value)
    server.script(["x", "y"])
    make_client(api_key=KEY).complete(ask())
    make_client(api_key=None).complete(ask())
    first, second = (request.headers for request in server.requests)
    assert first["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in second
    allowed = {"host", "content-type", "content-length", "user-agent", "accept", "accept-encoding"}
    assert set(first) == allowed | {"authorization"}
    assert set(second) == allowed
    assert "environment" not in str(server.requests)


def test_the_environments_proxy_is_not_used(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.base_url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        server.script(["x", "y"])
        assert make_client().complete(ask()).text == "x"
        # Nor is one that was given, for an address of this machine.
        assert make_client(proxy=proxy.base_url).complete(ask()).text == "y"
        assert proxy.requests == []


def test_a_given_proxy_is_used_for_another_host(make_client: MakeClient, ask: Ask) -> None:
    # A proxy gets the whole address in the request line, which the fake calls a wrong path.
    with FakeOpenAI() as proxy:
        client = make_client(base_url="http://models.invalid/v1", proxy=proxy.base_url)
        with pytest.raises(ModelError):
            client.complete(ask())
        assert [r.path for r in proxy.requests] == ["http://models.invalid/v1/chat/completions"]


ECHOES = {
    "in an error": failure(401, f"Incorrect API key provided: {KEY}."),
    "escaped": raw('{"error": {"message": "bad sk-l\\u0069ve-0123456789"}}', status=401),
    "in a page": raw(f"<html>{KEY}</html>", status=500),
    "in a 200 page": raw(f"<html>{KEY}</html>"),
    "inside a 200": Reply(body={"error": {"message": KEY, "code": 401}}),
    "as a code": failure(400, "x", code=KEY),
}


@pytest.mark.parametrize("name", ECHOES)
def test_an_echoed_key_reaches_no_error_and_no_log(
    server: FakeOpenAI,
    make_client: MakeClient,
    ask: Ask,
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script([ECHOES[name]] * 6)
    client = make_client(api_key=KEY, name="judge")
    with pytest.raises(ModelError) as caught:
        client.complete(ask())
    error = caught.value
    shown = [
        str(error),
        repr(error),
        "".join(traceback.format_exception(error)),
        json.dumps(error.raw_reply),
        json.dumps(error.raw_request),
        repr(error.attempts),
        error.text,
        caplog.text,
        repr(client),
    ]
    assert not [text for text in shown if KEY in text]
    assert error.__context__ is None


def test_a_broken_connection_brings_no_exception_of_the_library_along(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    # The library's exceptions hold the request, and the request holds the key.
    server.script([answer("x").cut(3)] * 6)
    with pytest.raises(ModelError) as caught:
        make_client(api_key=KEY).complete(ask())
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)


def test_an_echoed_key_is_cut_out_of_an_answer_and_counted(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([answer(f"Your key is {KEY}.")])
    reply = make_client(api_key=KEY).complete(ask())
    assert reply.text == "Your key is [key removed]."
    assert KEY not in repr(reply)
    assert reply.notes == ("key_removed: 1",)


def test_neither_key_nor_headers_are_kept_with_an_answer(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script(["x"])
    reply = make_client(api_key=KEY).complete(ask())
    assert KEY not in repr(reply)
    assert "authorization" not in repr(reply).lower()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"base_url": "localhost:8000"}, "invalid_base_url"),
        ({"model": " "}, "invalid_model"),
        ({"api_key": f"{KEY}\nX-Injected: 1"}, "invalid_api_key"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(
    make_client: MakeClient, changes: dict, code: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        make_client(**changes)
    assert caught.value.code == code
    assert KEY not in caught.value.message


def test_a_host_that_cannot_be_one_is_a_wrong_address(make_client: MakeClient, ask: Ask) -> None:
    client = make_client(base_url="http://\u2260.example/v1")
    with pytest.raises(ModelError, match="no usable address"):
        client.complete(ask())


def test_the_defaults_wait_for_real(server: FakeOpenAI, ask: Ask) -> None:
    server.script(["x"])
    with OpenAIClient(server.base_url, "fake-model") as client:
        assert client.complete(ask()).seconds > 0
    assert client.options.retry == RetryPolicy()
