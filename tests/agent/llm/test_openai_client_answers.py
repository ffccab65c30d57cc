"""Answers of all shapes, from a real server: what is an answer, and what is none."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from agent.llm.client import ChatRequest, Message, ToolCall, Usage
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.openai_client import ClientOptions, OpenAIClient
from agent.llm.retry import RetryPolicy
from agent.llm.tokens import WordCounter
from tests.agent.llm.conftest import FakeTime, MakeClient
from tests.fake_openai import FakeOpenAI, Reply, answer, raw, tool_call

Ask = Callable[..., ChatRequest]

SCHEMA = {"type": "object", "required": ["verdict"], "properties": {"verdict": {"type": "string"}}}
ONCE = ClientOptions(retry=RetryPolicy(max_attempts=1))


def error_of(client: OpenAIClient, request: ChatRequest) -> ModelError:
    with pytest.raises(ModelError) as caught:
        client.complete(request)
    return caught.value


def test_an_answer_comes_with_all_that_is_known_about_it(
    server: FakeOpenAI, client: OpenAIClient
) -> None:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 16},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    server.script(
        [
            answer(
                "They are equal.",
                reasoning="Both say 2019.",
                usage=usage,
                model="fake-model-2025-01",
                system_fingerprint="fp_1",
                provider="Somebody",
                headers={"X-Request-Id": "req_7"},
            )
        ]
    )
    request = ChatRequest(
        [Message("system", "Compare."), Message("user", "2019 or 2019?")],
        max_output_tokens=50,
        temperature=0,
        seed=3,
        params={"top_p": 0.9},
    )
    reply = client.complete(request)
    assert (reply.text, reply.reasoning) == ("They are equal.", "Both say 2019.")
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(20, 16, 9, 4, "endpoint")
    assert (reply.served_model, reply.fingerprint) == ("fake-model-2025-01", "fp_1")
    assert (reply.provider, reply.request_id) == ("Somebody", "req_7")
    assert (reply.notes, reply.tool_calls, reply.attempts) == ((), (), ())
    assert (
        reply.raw_request
        == server.bodies[0]
        == {
            "model": "fake-model",
            "messages": [
                {"role": "system", "content": "Compare."},
                {"role": "user", "content": "2019 or 2019?"},
            ],
            "max_tokens": 50,
            "temperature": 0,
            "seed": 3,
            "top_p": 0.9,
        }
    )
    assert isinstance(reply.raw_reply, dict)
    assert reply.raw_reply["choices"][0]["message"]["content"] == "They are equal."


def test_only_what_was_set_is_sent(server: FakeOpenAI, client: OpenAIClient, ask: Ask) -> None:
    server.script(["x"])
    client.complete(ask("hello"))
    assert server.bodies == [
        {"model": "fake-model", "messages": [{"role": "user", "content": "hello"}]}
    ]


def test_a_schema_is_sent_strictly(server: FakeOpenAI, client: OpenAIClient, ask: Ask) -> None:
    server.script(['{"verdict": "equal"}'])
    reply = client.complete(ask(json_schema=SCHEMA, schema_name="relation"))
    assert server.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "relation", "schema": SCHEMA, "strict": True},
    }
    assert reply.notes == ()


@pytest.mark.parametrize(
    "text", ["They are equal.", "[1]", '{"other": 1}', '```json\n{"verdict": "equal"}\n```']
)
def test_a_schema_that_was_not_enforced_is_noted(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask, text: str
) -> None:
    server.script([text])
    reply = client.complete(ask(json_schema=SCHEMA))
    assert reply.text == text
    assert reply.notes == ("schema_not_enforced",)


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ('<think>Same year.</think>\n{"verdict": "equal"}', '{"verdict": "equal"}', "Same year."),
        ('Same year.\n</think>{"verdict": "equal"}', '{"verdict": "equal"}', "Same year."),
        ('<thinking>a</thinking>{"verdict": "b"}', '{"verdict": "b"}', "a"),
        ('say {"verdict": 1}</think>{"verdict": 2}', '{"verdict": 2}', 'say {"verdict": 1}'),
    ],
)
def test_think_tags_are_reasoning(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask, content: str, text: str, reasoning: str
) -> None:
    server.script([content])
    reply = client.complete(ask(json_schema=SCHEMA))
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert reply.notes == ("think_tags_stripped",)


def test_a_think_tag_quoted_from_a_document_is_text(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    text = 'Here:\n{"verdict": "the brief says </think> and <think>"}'
    server.script([text])
    reply = client.complete(ask())
    assert (reply.text, reply.reasoning, reply.notes) == (text, "", ())


def test_json_in_the_reasoning_channel_is_salvaged_when_content_is_empty(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 9}
    server.script([answer(None, reasoning='{"verdict": "equal"}', usage=usage)])
    reply = client.complete(ask(json_schema=SCHEMA))
    assert (reply.text, reply.reasoning) == ('{"verdict": "equal"}', "")
    assert reply.notes == ("salvaged_from_reasoning",)


@pytest.mark.parametrize("thought", ["They seem equal.", '{"other": 1}', "5", '"equal"'])
def test_other_reasoning_is_never_an_answer(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, thought: str
) -> None:
    server.script([answer(None, reasoning=thought)] * 2)
    error = error_of(make_client(options=ONCE), ask(json_schema=SCHEMA))
    assert error.kind is ErrorKind.EMPTY
    assert "only reasoned" in error.message
    assert error.text == thought


def test_an_unclosed_think_block_is_no_answer(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script(["<think>Let me see whether"])
    error = error_of(make_client(options=ONCE), ask())
    assert (error.kind, error.text) == (ErrorKind.EMPTY, "Let me see whether")


def test_tokens_billed_for_nothing_are_counted_and_asked_for_once_more(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask
) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 900}
    server.script([answer(None, usage=usage)] * 2)
    error = error_of(client, ask())
    assert error.kind is ErrorKind.EMPTY_BILLED
    assert "900 output tokens" in error.message
    assert error.usage == Usage(7, None, 900, None, "endpoint")
    assert [attempt.usage for attempt in error.attempts] == [error.usage]
    assert (len(server.bodies), time.slept) == (2, [0.5])


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_an_empty_answer_is_tried_once_without_its_schema(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, content: str | None
) -> None:
    empty = answer(content, usage={"prompt_tokens": 5, "completion_tokens": 0})
    server.script([empty, '{"verdict": "equal"}', '{"verdict": "equal"}'])
    reply = client.complete(ask(json_schema=SCHEMA))
    assert reply.text == '{"verdict": "equal"}'
    assert reply.notes == ("schema: none",)
    assert [attempt.kind for attempt in reply.attempts] == [ErrorKind.EMPTY]
    assert ["response_format" in body for body in server.bodies] == [True, False]
    assert time.slept == []
    # It may have been chance: the next call sends the schema again.
    assert client.complete(ask(json_schema=SCHEMA)).notes == ()
    assert "response_format" in server.bodies[2]


def test_a_cut_off_answer_is_never_parsed(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 16}
    server.script([answer('{"verdict": "equal"}', finish_reason="length", usage=usage)])
    error = error_of(client, ask(max_output_tokens=16))
    assert (error.kind, error.temporary) == (ErrorKind.TRUNCATED, False)
    assert error.text == '{"verdict": "equal"}'
    assert error.usage == Usage(7, None, 16, None, "endpoint")
    assert "16 tokens" in error.message
    assert "limit of output tokens" in error.message
    assert error.raw_request == server.bodies[0]
    assert isinstance(error.raw_reply, dict)
    assert error.raw_reply["choices"][0]["finish_reason"] == "length"


def test_thinking_that_ate_the_budget_is_said_to_have(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([answer("", reasoning="Hmm", finish_reason="length")])
    assert "all of them reasoning" in error_of(client, ask(max_output_tokens=9)).message


def test_a_cut_off_tool_call_is_cut_off(server: FakeOpenAI, client: OpenAIClient, ask: Ask) -> None:
    calls = [tool_call("update_checklist", "{}")]
    server.script([answer(None, tool_calls=calls, finish_reason="length")])
    assert error_of(client, ask(params={"tools": []})).kind is ErrorKind.TRUNCATED


def test_a_raised_limit_is_tried_once(
    server: FakeOpenAI, make_client: MakeClient, time: FakeTime, ask: Ask
) -> None:
    cut = answer("{", finish_reason="length")
    server.script([cut, "whole", cut, cut])
    client = make_client(options=ClientOptions(raised_limit=64))
    reply = client.complete(ask(max_output_tokens=16))
    assert (reply.text, reply.notes) == ("whole", ("raised_limit: 64",))
    assert [attempt.kind for attempt in reply.attempts] == [ErrorKind.TRUNCATED]
    assert error_of(client, ask(max_output_tokens=16)).kind is ErrorKind.TRUNCATED
    assert [body["max_tokens"] for body in server.bodies] == [16, 64, 16, 64]
    assert time.slept == []


def test_a_refusal_keeps_its_text_and_is_not_asked_again(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([answer(None, refusal="I cannot help with that.")])
    error = error_of(client, ask(json_schema=SCHEMA))
    assert (error.kind, error.temporary) == (ErrorKind.REFUSED, False)
    assert error.text == "I cannot help with that."


def test_a_filtered_answer_names_the_category(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    results = {"violence": {"filtered": True}, "hate": {"filtered": False}}
    choice = {
        "message": {"role": "assistant", "content": "The plain"},
        "finish_reason": "content_filter",
        "content_filter_results": results,
    }
    server.script([answer("", choices=[choice])])
    error = error_of(client, ask())
    assert (error.kind, error.temporary) == (ErrorKind.CONTENT_FILTER, False)
    assert "category: violence" in error.message
    assert error.text == "The plain"


def test_a_provider_that_failed_half_way_gave_no_answer(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([answer("The two val", finish_reason="error")])
    error = error_of(make_client(options=ONCE), ask())
    assert (error.kind, error.temporary) == (ErrorKind.ERROR_IN_BODY, True)
    assert error.text == "The two val"


def test_native_tool_calls_are_passed_on_unparsed(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    calls = [tool_call("read_document", '{"name": "a'), tool_call("stop", "", call_id="call_2")]
    server.script([answer(None, tool_calls=calls, finish_reason="tool_calls")])
    reply = client.complete(ask(params={"tools": [{"type": "function"}]}))
    assert reply.tool_calls == (
        ToolCall("call_1", "read_document", '{"name": "a'),
        ToolCall("call_2", "stop", ""),
    )
    assert (reply.text, reply.notes) == ("", ("tool_calls",))


def test_a_tool_call_that_nobody_offered_is_no_answer(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([answer(None, tool_calls=[tool_call("answer", "{}")])])
    error = error_of(make_client(options=ONCE), ask())
    assert error.kind is ErrorKind.INVALID_REPLY
    assert "(answer)" in error.message


@pytest.mark.parametrize(
    ("content", "text", "reasoning", "note"),
    [
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "equ"},
                {"type": "text", "text": "al"},
            ],
            "equal",
            "hm",
            "content_parts",
        ),
        ({"verdict": "égal"}, '{"verdict": "égal"}', "", "content_object"),
    ],
)
def test_content_that_is_no_string_is_read(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask,
    content: Any, text: str, reasoning: str, note: str,
) -> None:  # fmt: skip
    server.script([answer(content)])
    reply = client.complete(ask())
    assert (reply.text, reply.reasoning) == (text, reasoning)
    assert note in reply.notes


def test_a_missing_finish_reason_is_noted(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([answer("x", finish_reason=None)])
    reply = client.complete(ask())
    assert (reply.finish_reason, reply.notes) == (None, ("finish_reason_missing",))


@pytest.mark.parametrize(
    ("usage", "prompt", "completion"),
    [
        (None, 3 + 4, 2),
        ({}, 3 + 4, 2),
        ("many", 3 + 4, 2),
        ({"prompt_tokens": 0, "completion_tokens": 0}, 3 + 4, 2),
        ({"prompt_tokens": 11}, 11, 2),
        ({"prompt_tokens": 11, "completion_tokens": -1}, 11, 2),
        ({"prompt_tokens": True, "completion_tokens": 5}, 3 + 4, 5),
        ({"prompt_tokens": 10**30, "completion_tokens": 5}, 3 + 4, 5),
    ],
)
def test_missing_or_impossible_usage_is_estimated_and_labelled(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, usage: Any, prompt: int, completion: int
) -> None:
    server.script([answer("four five", usage=usage)])
    reply = make_client(counter=WordCounter()).complete(ask("one two three"))
    assert reply.usage == Usage(prompt, None, completion, None, "estimated")
    assert "usage_estimated" in reply.notes


def test_without_a_counter_usage_is_a_rough_estimate(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([answer("x" * 10, usage=None)])
    # A quarter of the bytes, rounded up: 8 / 4 + 4 around the message, 10 / 4.
    assert client.complete(ask("y" * 8)).usage == Usage(6, None, 3, None, "estimated")


def test_a_silently_cut_prompt_is_never_scored(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    usage = {"prompt_tokens": 2050, "completion_tokens": 3}
    server.script([answer('{"verdict": "equal"}', usage=usage)])
    error = error_of(client, ask(expected_prompt_tokens=8000))
    assert (error.kind, error.temporary) == (ErrorKind.PROMPT_TRUNCATED, False)
    assert "2,050" in error.message
    assert "8,000" in error.message
    assert error.usage == Usage(2050, None, 3, None, "endpoint")


@pytest.mark.parametrize(
    ("usage", "passes"),
    [
        # 0.8 * 1000 - 50 = 750 is the least that passes.
        ({"prompt_tokens": 750}, True),
        ({"prompt_tokens": 749}, False),
        ({"prompt_tokens": 5000}, True),
        (None, True),
        # No server's context is that short: a made-up number, which proves nothing.
        ({"prompt_tokens": 256}, False),
        ({"prompt_tokens": 255}, True),
        ({"prompt_tokens": 10}, True),
        # Cached tokens counted apart: 100 + 900; cached tokens counted within: 400 only.
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 900}}, True),
        ({"prompt_tokens": 400, "prompt_tokens_details": {"cached_tokens": 390}}, False),
    ],
)
def test_where_a_prompt_counts_as_cut(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, usage: Any, passes: bool
) -> None:
    server.script([answer("ok", usage=usage)])
    # Our own count is 996 words and 4 around the message.
    client = make_client(counter=WordCounter())
    request = ask("word " * 996)
    if passes:
        assert client.complete(request).text == "ok"
    else:
        assert error_of(client, request).kind is ErrorKind.PROMPT_TRUNCATED


def test_a_cut_prompt_is_the_cause_even_of_a_cut_answer(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    usage = {"prompt_tokens": 300, "completion_tokens": 3}
    server.script([answer("x", finish_reason="length", usage=usage)])
    error = error_of(client, ask(expected_prompt_tokens=900))
    assert error.kind is ErrorKind.PROMPT_TRUNCATED


def test_text_that_cannot_be_stored_is_replaced_and_counted(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    server.script([answer("a\x00b\ud800c", logprobs=float("nan"))])
    reply = client.complete(ask("d\x00e\udfff"))
    assert reply.text == "a\ufffdb\ufffdc"
    assert server.bodies[0]["messages"][0]["content"] == "d\ufffde\ufffd"
    assert reply.notes == (
        "request_characters_replaced: 2",
        "characters_replaced: 2",
        "numbers_replaced: 1",
    )
    json.dumps(reply.raw_reply, allow_nan=False, ensure_ascii=False).encode()


def test_bad_utf8_in_a_reply_is_replaced_and_counted(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    body = b'{"choices": [{"finish_reason": "stop", "message": {"content": "caf\xe9"}}]}'
    server.script([raw(body)])
    reply = client.complete(ask())
    assert reply.text == "caf\ufffd"
    assert reply.notes == ("usage_estimated", "characters_replaced: 1")
    assert (reply.served_model, reply.fingerprint, reply.request_id) == (None, None, None)


NOT_A_REPLY = {
    "web page": raw("<!doctype html><title>Login</title>", content_type="text/html"),
    "cut json": raw('{"choices": [{"mess'),
    "text": raw("OK", content_type="text/plain"),
    "empty": raw(""),
    "list": Reply(body=[]),
    "null": Reply(body=None),
    "deep": raw("[" * 100_000),
    "no choices": Reply(body={"id": "x"}),
    "choices empty": Reply(body={"choices": []}),
    "choices odd": Reply(body={"choices": ["x"]}),
    "content is a number": answer(5),
    "bad gzip": raw(b"no gzip", headers={"Content-Encoding": "gzip"}),
}


@pytest.mark.parametrize("name", NOT_A_REPLY)
def test_what_is_no_reply_is_tried_once_more_and_kept(
    server: FakeOpenAI, client: OpenAIClient, time: FakeTime, ask: Ask, name: str
) -> None:
    server.script([NOT_A_REPLY[name]] * 2)
    error = error_of(client, ask())
    assert error.kind is ErrorKind.INVALID_REPLY
    assert "2 tries" in error.message
    assert (len(server.bodies), time.slept) == (2, [0.5])


def test_a_web_page_is_called_one_and_kept(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask
) -> None:
    server.script([NOT_A_REPLY["web page"]])
    error = error_of(make_client(options=ONCE), ask())
    assert "HTTP 200 with a web page" in error.message
    assert error.raw_reply == "<!doctype html><title>Login</title>"


@pytest.mark.parametrize("how", ["length", "chunked", "gzip"])
def test_a_huge_reply_is_not_read_to_its_end(
    server: FakeOpenAI, make_client: MakeClient, ask: Ask, how: str
) -> None:
    def chunks() -> Any:
        for _ in range(500):
            yield b" " * 65_536

    huge = {
        "length": raw(b" " * 2_000_000),
        "chunked": Reply(pieces=chunks()),
        "gzip": raw(gzip.compress(b" " * 2_000_000), headers={"Content-Encoding": "gzip"}),
    }
    options = ClientOptions(retry=RetryPolicy(max_attempts=1), max_reply_bytes=1_000_000)
    server.script([huge[how]])
    error = error_of(make_client(options=options), ask())
    assert error.kind is ErrorKind.INVALID_REPLY
    assert "longer than 1,000,000 bytes" in error.message


def test_a_compressed_reply_is_read_though_none_was_asked_for(
    server: FakeOpenAI, client: OpenAIClient, ask: Ask
) -> None:
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": "x"}}]})
    server.script([raw(gzip.compress(body.encode()), headers={"Content-Encoding": "gzip"})])
    assert client.complete(ask()).text == "x"
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_roles_are_merged_only_when_told(server: FakeOpenAI, make_client: MakeClient) -> None:
    request = ChatRequest(
        [Message("system", "a"), Message("system", "b"), Message("user", "c"), Message("user", "d")]
    )
    server.script(["x", "x"])
    assert make_client().complete(request).notes == ()
    reply = make_client(options=ClientOptions(merge_roles=True)).complete(request)
    assert reply.notes == ("roles_merged",)
    assert len(server.bodies[0]["messages"]) == 4
    assert server.bodies[1]["messages"] == [
        {"role": "system", "content": "a\n\nb"},
        {"role": "user", "content": "c\n\nd"},
    ]
