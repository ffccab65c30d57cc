"""What an endpoint refuses is learned once, remembered, and noted on every answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agent.llm.client import ChatRequest
from agent.llm.dialect import Dialect, SchemaMode
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.openai_client import OpenAIClient
from tests.agent.llm.conftest import FakeTime, MakeClient
from tests.fake_openai import FakeOpenAI, Reply, answer, failure

Ask = Callable[..., ChatRequest]

SCHEMA = {"type": "object", "required": ["verdict"]}

MAX_TOKENS_REFUSED = [
    failure(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead.",
        code="unsupported_parameter",
        param="max_tokens",
    ),
    failure(400, "'max_tokens' is not supported, use 'max_completion_tokens'."),
    Reply(422, {"detail": [{"loc": ["body", "max_tokens"], "msg": "Extra inputs not permitted"}]}),
    Reply(body={"error": {"code": 400, "message": "max_tokens is not supported"}}),
]


@pytest.mark.parametrize("refusal", MAX_TOKENS_REFUSED)
def test_the_limit_is_sent_under_its_newer_name(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, refusal: Reply
) -> None:
    server.script([refusal, "x", "y"])
    first = client.complete(ask(max_output_tokens=9))
    second = client.complete(ask(max_output_tokens=9))
    limits = [(b.get("max_tokens"), b.get("max_completion_tokens")) for b in server.bodies]
    assert limits == [(9, None), (None, 9), (None, 9)]
    assert first.notes == second.notes == ("limit: max_completion_tokens",)
    assert [a.kind for a in first.attempts] == [ErrorKind.BAD_REQUEST]
    assert first.raw_request == server.bodies[1]
    assert second.attempts == ()
    assert time.slept == []


def test_a_refused_temperature_is_dropped_and_never_called_zero(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    refusal = failure(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model."
        " Only the default (1) value is supported.",
        code="unsupported_value",
        param="temperature",
    )
    server.script([refusal, "x", "y", "z"])
    assert client.complete(ask(temperature=0)).notes == ("temperature: provider default",)
    assert client.complete(ask(temperature=0)).notes == ("temperature: provider default",)
    assert client.complete(ask()).notes == ()
    assert ["temperature" in body for body in server.bodies] == [True, False, False, False]


def test_a_refused_seed_is_dropped_and_noted(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([failure(400, "property 'seed' is unsupported"), "x"])
    assert client.complete(ask(seed=1)).notes == ("seed: not supported",)
    assert "seed" not in server.bodies[1]


@pytest.mark.parametrize(
    "refusal",
    [
        failure(400, "Invalid parameter", param="response_format"),
        failure(400, "Invalid schema for response_format 'answer'", param="response_format.schema"),
        failure(400, "json_schema is not supported by this model"),
        failure(500, "failed to parse grammar"),
    ],
)
def test_a_refused_schema_steps_down_the_ladder(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, refusal: Reply
) -> None:
    server.script([refusal, '{"verdict": 1}', '{"verdict": 1}'])
    assert client.complete(ask(json_schema=SCHEMA)).notes == ("schema: json_object",)
    assert client.complete(ask(json_schema=SCHEMA)).notes == ("schema: json_object",)
    sent = [body["response_format"]["type"] for body in server.bodies]
    assert sent == ["json_schema", "json_object", "json_object"]
    assert time.slept == []


def test_a_server_that_knows_no_response_format_gets_the_prompt_alone(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    refusal = failure(400, "response_format is not supported")
    server.script([refusal, refusal, "prose", "prose"])
    for _ in range(2):
        assert client.complete(ask(json_schema=SCHEMA)).notes == ("schema: none",)
    assert ["response_format" in body for body in server.bodies] == [True, True, False, False]


def picky(body: dict[str, Any]) -> Reply:
    """An endpoint that refuses one thing after the other."""
    for name in ("max_tokens", "temperature", "seed", "response_format"):
        if name in body:
            return failure(400, f"Unsupported parameter: '{name}'", param=name)
    return answer("fine")


def test_everything_at_once_is_learned_in_one_call(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask
) -> None:
    server.script(picky)
    request = ask(max_output_tokens=9, temperature=0, seed=1, json_schema=SCHEMA)
    reply = client.complete(request)
    assert reply.notes == (
        "limit: max_completion_tokens",
        "temperature: provider default",
        "seed: not supported",
        "schema: none",
    )
    # max_tokens, temperature, seed, json_schema, json_object: five lessons, then the answer.
    assert (len(reply.attempts), len(server.bodies), time.slept) == (5, 6, [])
    learned = Dialect("max_completion_tokens", False, False, SchemaMode.NONE)
    assert client.dialect == learned
    assert client.complete(request).attempts == ()


def test_a_stored_dialect_saves_the_lesson(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script(["x"])
    client = make_client(dialect=Dialect(temperature=False))
    assert client.complete(ask(temperature=0)).notes == ("temperature: provider default",)
    assert "temperature" not in server.bodies[0]


def test_nothing_is_learned_from_a_refusal_that_does_not_end(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script(lambda body: failure(400, "max_tokens is wrong"))
    with pytest.raises(ModelError) as caught:
        client.complete(ask(max_output_tokens=9))
    assert caught.value.kind is ErrorKind.BAD_REQUEST
    assert [a.kind for a in caught.value.attempts] == [ErrorKind.BAD_REQUEST]
    assert len(server.bodies) == 2
    assert client.dialect == Dialect()


def test_a_refusal_of_what_was_not_sent_changes_nothing(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([failure(400, "temperature, seed, max_tokens and response_format are wrong")])
    with pytest.raises(ModelError):
        client.complete(ask())
    assert len(server.bodies) == 1


def test_a_word_of_the_prompt_in_the_error_is_no_complaint_about_a_parameter(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([failure(400, "Invalid content: " + "x" * 600 + " temperature", param=None)])
    with pytest.raises(ModelError):
        client.complete(ask("what is the temperature", temperature=0))
    assert len(server.bodies) == 1


def test_what_a_failing_try_taught_is_kept_for_the_next(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask
) -> None:
    server.script([failure(400, "no", param="temperature"), failure(503, "busy"), "x"])
    reply = client.complete(ask(temperature=0))
    assert ["temperature" in body for body in server.bodies] == [True, False, False]
    assert [a.kind for a in reply.attempts] == [ErrorKind.BAD_REQUEST, ErrorKind.OVERLOADED]
    assert time.slept == [0.5]
