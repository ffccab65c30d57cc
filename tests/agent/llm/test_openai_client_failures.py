"""Faults of endpoint, account and network, from a real server: named, retried or not, kept."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import httpx2
import openai
import pytest

from agent.llm.client import ChatRequest
from agent.llm.errors import ErrorKind, ModelError, missing_key
from agent.llm.openai_client import ClientOptions, OpenAIClient, Timeouts
from agent.llm.retry import RetryPolicy
from annotation.errors import DomainError
from tests.agent.llm.conftest import FakeTime, MakeClient
from tests.fake_openai import FakeOpenAI, Reply, answer, failure, raw

Ask = Callable[..., ChatRequest]

ONCE = RetryPolicy(max_attempts=1)


def error_of(client: OpenAIClient, request: ChatRequest) -> ModelError:
    with pytest.raises(ModelError) as caught:
        client.complete(request)
    return caught.value


AZURE_FILTER = failure(
    400,
    "The response was filtered",
    code="content_filter",
    innererror={
        "code": "ResponsibleAIPolicyViolation",
        "content_filter_result": {"hate": {"filtered": True}, "violence": {"filtered": False}},
    },
)
FAULTS: dict[str, tuple[Reply, ErrorKind, str]] = {
    "wrong key": (failure(401, "Incorrect API key", code="invalid_api_key"), ErrorKind.AUTH, "key"),
    "no right": (failure(403, "Not allowed"), ErrorKind.AUTH, "HTTP 403"),
    "key as a 400": (
        Reply(400, [{"error": {"code": 400, "message": "API key not valid.", "status": "X"}}]),
        ErrorKind.AUTH,
        "API key not valid",
    ),
    "unknown model": (
        failure(404, "The model `x` does not exist", code="model_not_found"),
        ErrorKind.UNKNOWN_MODEL,
        "`x`",
    ),
    "model not pulled": (
        Reply(404, {"error": 'model "llama9" not found, try pulling it first'}),
        ErrorKind.UNKNOWN_MODEL,
        "llama9",
    ),
    "model as a param": (failure(400, "bad", param="model"), ErrorKind.UNKNOWN_MODEL, "bad"),
    "wrong path": (raw("<html>nginx</html>", status=404), ErrorKind.WRONG_ADDRESS, "/v1"),
    "method refused": (Reply(405, {"detail": "Not Allowed"}), ErrorKind.WRONG_ADDRESS, "405"),
    "no money": (failure(402, "Payment needed"), ErrorKind.QUOTA, "Top up"),
    "quota as a 429": (
        failure(429, "No quota", code="insufficient_quota", headers={"Retry-After": "1"}),
        ErrorKind.QUOTA,
        "resume",
    ),
    "funds as a 429": (
        failure(429, "Insufficient funds, retry in two weeks"), ErrorKind.QUOTA, "two weeks"
    ),
    "filtered prompt": (AZURE_FILTER, ErrorKind.CONTENT_FILTER, "category hate"),
    "context, by code": (
        failure(400, "Too much.", code="context_length_exceeded"),
        ErrorKind.CONTEXT_TOO_LONG,
        "Too much.",
    ),
    "context, by words": (
        failure(400, "This model's maximum context length is 8192 tokens. However, you requested"
                " 9000 tokens. Please reduce the length of the messages or max_tokens."),
        ErrorKind.CONTEXT_TOO_LONG,
        "8192",
    ),
    "context, misleading": (
        failure(400, "max_tokens must be at least 1, got -125.", param="max_tokens"),
        ErrorKind.CONTEXT_TOO_LONG,
        "-125",
    ),
    "context, as a 500": (
        Reply(500, {"error": {"code": 500, "type": "exceed_context_size_error", "message": "no"}}),
        ErrorKind.CONTEXT_TOO_LONG,
        "HTTP 500",
    ),
    "body too large": (raw("", status=413), ErrorKind.CONTEXT_TOO_LONG, "HTTP 413"),
    "bad parameter": (
        failure(400, "top_p must be below 1", param="top_p"), ErrorKind.BAD_REQUEST, "top_p"
    ),
    "bad parameter, FastAPI": (
        Reply(422, {"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs", "type": "x"}]}),
        ErrorKind.BAD_REQUEST,
        "Extra inputs",
    ),
    "flat error": (
        Reply(400, {"object": "error", "message": "top_k?", "code": 400}),
        ErrorKind.BAD_REQUEST,
        "top_k?",
    ),
    "error is a string": (Reply(400, {"error": "nope"}), ErrorKind.BAD_REQUEST, "nope."),
    "error is a number": (Reply(418, {"error": 5}), ErrorKind.BAD_REQUEST, "HTTP 418"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_waiting_cannot_mend_is_named_and_raised_at_once(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, name: str
) -> None:
    reply, kind, words = FAULTS[name]
    server.script([reply])
    error = error_of(client, ask(temperature=0, max_output_tokens=5, params={"top_p": 1}))
    assert (error.kind, error.temporary) == (kind, False)
    assert words in error.message
    assert (error.status, error.code) == (reply.status, f"model_{kind}")
    assert isinstance(error, DomainError)
    assert error.raw_request == server.bodies[0]
    assert error.raw_reply is not None
    assert (len(server.bodies), time.slept) == (1, [])


TEMPORARY: dict[str, tuple[Reply, ErrorKind]] = {
    "rate limit": (failure(429, "slow down", code="rate_limit_exceeded"), ErrorKind.RATE_LIMITED),
    "rate limit in words of quota": (
        Reply(429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
                               "message": "You exceeded your current quota"}}]),
        ErrorKind.RATE_LIMITED,
    ),
    "internal": (failure(500, "oops"), ErrorKind.OVERLOADED),
    "web page": (raw("<html>bad gateway</html>", status=502), ErrorKind.OVERLOADED),
    "unavailable": (raw("", status=503), ErrorKind.OVERLOADED),
    "overloaded": (failure(529, "busy", type="overloaded_error"), ErrorKind.OVERLOADED),
    "request timeout": (raw("", status=408), ErrorKind.TIMEOUT),
    "cut at once": (answer("x").cut(0), ErrorKind.CONNECTION),
    "cut in the body": (answer("x").cut(40), ErrorKind.CONNECTION),
}  # fmt: skip


@pytest.mark.parametrize("name", TEMPORARY)
def test_a_temporary_fault_is_tried_again_and_recorded(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, name: str
) -> None:
    reply, kind = TEMPORARY[name]
    server.script([reply, "fine"])
    answered = client.complete(ask())
    assert answered.text == "fine"
    assert [(a.kind, a.waited) for a in answered.attempts] == [(kind, 0.5)]
    assert time.slept == [0.5]


def test_a_fault_that_lasts_is_raised_after_the_last_try(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask
) -> None:
    server.script([failure(503, "busy")] * 6)
    error = error_of(client, ask())
    assert (error.kind, error.temporary, error.status) == (ErrorKind.OVERLOADED, True, 503)
    assert "Given up after 6 tries" in error.message
    # Half of 1, 2, 4, 8, 16.
    assert time.slept == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert [attempt.status for attempt in error.attempts] == [503] * 5


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "61"}, 61.0),
        ({"Retry-After": "0"}, 0.0),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Wed, 01 Jan 2025 00:01:30 GMT"}, 90.0),
        ({"Retry-After": "tomorrow"}, 0.5),
    ],
)
def test_retry_after_is_obeyed_exactly(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, headers: dict, wait: float
) -> None:
    server.script([failure(429, "slow down", headers=headers), "fine"])
    assert client.complete(ask()).text == "fine"
    assert time.slept == [wait]


def test_a_long_retry_after_parks_the_run_with_its_wake_up_time(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask
) -> None:
    server.script([failure(429, "slow down", headers={"Retry-After": "7200"})])
    error = error_of(client, ask())
    assert (error.kind, error.temporary) == (ErrorKind.RATE_LIMITED, True)
    assert error.retry_after == 7200
    assert error.retry_at == datetime(2025, 1, 1, 2, 0, tzinfo=UTC)
    assert "until 2025-01-01 02:00:00 UTC" in error.message
    assert time.slept == []


@pytest.mark.parametrize(
    ("body", "kind", "temporary"),
    [
        ({"error": {"message": "Provider failed", "code": 502}}, ErrorKind.OVERLOADED, True),
        ({"error": {"message": "Rate limited", "code": 429}}, ErrorKind.RATE_LIMITED, True),
        ({"error": {"message": "odd"}}, ErrorKind.ERROR_IN_BODY, True),
        ({"error": "odd"}, ErrorKind.ERROR_IN_BODY, True),
        ({"error": {"message": "x", "code": "insufficient_quota"}}, ErrorKind.QUOTA, False),
        ({"error": {"message": "x", "code": "401"}}, ErrorKind.AUTH, False),
        ({"choices": [{"error": {"message": "odd"}, "message": {"content": "half an"}}]},
         ErrorKind.ERROR_IN_BODY, True),
    ],
)  # fmt: skip
def test_an_error_inside_a_200_is_an_error(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask,
    body: dict, kind: ErrorKind, temporary: bool,
) -> None:  # fmt: skip
    server.script([Reply(body=body)])
    error = error_of(make_client(options=ClientOptions(retry=ONCE)), ask())
    assert (error.kind, error.temporary, error.status) == (kind, temporary, 200)
    assert "inside an HTTP 200 reply" in error.message
    assert error.raw_reply == body


def test_an_error_wins_over_an_answer_beside_it(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([answer("equal", error={"message": "stream broke"}), answer("equal", error=None)])
    client = make_client(options=ClientOptions(retry=ONCE))
    assert error_of(client, ask()).kind is ErrorKind.ERROR_IN_BODY
    assert client.complete(ask()).text == "equal"


def test_a_hostile_error_message_is_shown_on_one_short_line(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([failure(400, "a\n\x1b[31mb \u202egnp.exe" + "x" * 5000, param="top_k")])
    message = error_of(client, ask()).message
    assert "a \ufffd[31mb \ufffdgnp.exe" in message
    assert message.isprintable()
    assert len(message) < 500


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, status: int
) -> None:
    with FakeOpenAI() as elsewhere:
        elsewhere.script(["stolen"])
        location = f"{elsewhere.base_url}/chat/completions?secret=1"
        server.script([raw("", status=status, headers={"Location": location})])
        error = error_of(make_client(api_key="sk-secret-1234"), ask())
        assert elsewhere.requests == []
    assert (error.kind, error.temporary) == (ErrorKind.REDIRECTED, False)
    assert "redirect to 127.0.0.1" in error.message
    assert "secret" not in error.message


def test_an_unknown_model_and_a_wrong_key_at_the_fake_endpoint(
    make_client: MakeClient, ask: Ask
) -> None:
    with FakeOpenAI(models=["judge-1", "judge-0"], api_key="sk-right-key") as server:
        server.script(["fine"])
        address = server.base_url
        wrong_key = make_client(base_url=address, model="judge-1", api_key="sk-wrong-key")
        assert error_of(wrong_key, ask()).kind is ErrorKind.AUTH
        wrong_model = make_client(base_url=address, model="judge-2", api_key="sk-right-key")
        assert error_of(wrong_model, ask()).kind is ErrorKind.UNKNOWN_MODEL
        right = make_client(base_url=address, model="judge-1", api_key="sk-right-key")
        assert right.complete(ask()).text == "fine"
        assert right.list_models() == ("judge-0", "judge-1")
        with pytest.raises(ModelError, match="does not accept the API key"):
            wrong_key.list_models()


def test_an_error_names_the_judge(server: FakeOpenAI, make_client: MakeClient, ask: Ask) -> None:
    server.script([failure(401, "no")])
    error = error_of(make_client(name="gemma-judge"), ask())
    assert error.message.startswith("gemma-judge: The endpoint does not accept the API key")
    assert str(error) == error.message


def test_a_missing_key_names_judge_and_variable() -> None:
    error = missing_key("gemma-judge", "GEMMA_API_KEY")
    assert (error.kind, error.temporary) == (ErrorKind.MISSING_KEY, False)
    assert error.message.startswith("gemma-judge needs an API key, and GEMMA_API_KEY is not set.")


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of this machine on which nobody listens, kept so while the test runs."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_server_that_is_not_there(
    make_client: MakeClient, closed_port: int, ask: Ask, time: FakeTime
) -> None:
    address = f"http://127.0.0.1:{closed_port}/v1"
    error = error_of(make_client(base_url=address), ask())
    assert (error.kind, error.temporary, error.status) == (ErrorKind.CONNECTION, True, None)
    assert address in error.message
    assert "Connection refused" in error.message
    assert len(time.slept) == 5


def test_a_silent_server_is_given_up_on(
    server: FakeOpenAI, make_client: MakeClient, time: FakeTime, ask: Ask
) -> None:
    server.script([answer("late").held()] * 3)
    options = ClientOptions(timeouts=Timeouts(read=0.05))
    error = error_of(make_client(options=options), ask())
    assert (error.kind, error.temporary) == (ErrorKind.TIMEOUT, True)
    assert "silent for 0.05 seconds" in error.message
    assert [a.kind for a in error.attempts] == [ErrorKind.TIMEOUT] * 2
    assert time.slept == [0.5, 1.0]


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (httpx2.ConnectTimeout("x"), "No connection to http://127.0.0.1"),
        (httpx2.PoolTimeout("x"), "No free connection to the endpoint within 7 seconds"),
        (httpx2.WriteTimeout("x"), "did not take the request within 6 seconds"),
    ],
)
def test_which_time_ran_out_is_said(
    server: FakeOpenAI, make_client: MakeClient, cause: Exception, words: str
) -> None:
    failure = openai.APITimeoutError(httpx2.Request("POST", server.base_url))
    failure.__cause__ = cause
    timeouts = Timeouts(connect=5, write=6, pool=7)
    error = make_client(options=ClientOptions(timeouts=timeouts))._unanswered(failure)
    assert error.kind is ErrorKind.TIMEOUT
    assert words in error.message


def test_a_reply_that_trickles_in_has_an_end(
    server: FakeOpenAI, make_client: MakeClient, time: FakeTime, ask: Ask
) -> None:
    def trickle() -> Iterator[bytes]:
        for _ in range(1000):
            time.now += 100  # each piece takes a hundred seconds of the client's time
            yield b" "

    options = ClientOptions(timeouts=Timeouts(total=250), retry=ONCE)
    server.script([Reply(pieces=trickle())])
    error = error_of(make_client(options=options), ask())
    assert error.kind is ErrorKind.TIMEOUT
    assert "did not finish its reply within 250 seconds" in error.message


def test_an_answer_that_was_held_arrives(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([answer("at last").held()])
    texts: list[str] = []
    asking = threading.Thread(target=lambda: texts.append(make_client().complete(ask()).text))
    asking.start()
    server.wait_for(1)
    assert texts == []
    server.release()
    asking.join()
    assert texts == ["at last"]


def test_a_client_belongs_to_one_thread(server: FakeOpenAI, client: OpenAIClient, ask: Ask) -> None:
    server.script(["x", "y"])
    client.complete(ask())
    caught: list[RuntimeError] = []

    def elsewhere() -> None:
        try:
            client.complete(ask())
        except RuntimeError as error:
            caught.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert "belongs to one thread" in str(caught[0])
    assert client.complete(ask()).text == "y"


def test_a_client_that_its_thread_forgot_closes_its_connections(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script(["x"])

    def work() -> None:
        OpenAIClient(server.base_url, "fake-model").complete(ask())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    # An open socket would be reported as an unraisable ResourceWarning, which fails the run.
    assert len(server.requests) == 1


def test_a_closed_client_opens_again(server: FakeOpenAI, client: OpenAIClient, ask: Ask) -> None:
    server.script(["x", "y"])
    with client:
        client.complete(ask())
    assert client.complete(ask()).text == "y"
