"""Reading reply and error bodies: details, and that no JSON whatever breaks the readers."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.llm.client import ChatRequest, Message
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.failures import classify, complaint_of, failure_from_status, failure_in_body
from agent.llm.hostile_text import parse
from agent.llm.replies import (
    check_prompt,
    first_choice,
    follows,
    read_answer,
    read_usage,
    reported_error,
    strip_thinking,
    usage_of,
)

NO_ANSWER = {
    ErrorKind.INVALID_REPLY,
    ErrorKind.PROMPT_TRUNCATED,
    ErrorKind.TRUNCATED,
    ErrorKind.REFUSED,
    ErrorKind.EMPTY,
    ErrorKind.EMPTY_BILLED,
}
REQUEST = ChatRequest([Message("user", "x")], json_schema={"type": "object"})


@pytest.mark.parametrize(
    ("content", "answer", "thinking"),
    [
        ("plain", "plain", None),
        ("", "", None),
        (" <think>a</think> b ", "b", "a"),
        ("<think></think>b", "b", ""),
        ("a</think>b", "b", "a"),
        ("a</think>b</think>c", "b</think>c", "a"),
        ("<think>a", "", "a"),
        # A tag in the middle of prose is not an opening one.
        ("so <think>a", "so <think>a", None),
        # Inside the answer's own JSON it is text, before and after other JSON it is a tag.
        ('{"a": "</think>"}', '{"a": "</think>"}', None),
        ('ok: [1, "</think>"] end', 'ok: [1, "</think>"] end', None),
        ('{"a": 1}</think>{"a": 2}', '{"a": 2}', '{"a": 1}'),
        ("{{{[[[ </think>x", "x", "{{{[[["),
    ],
)
def test_thinking_is_told_from_the_answer(content: str, answer: str, thinking: str | None) -> None:
    assert strip_thinking(content) == (answer, thinking)


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_a_thinking_block_is_always_cut_out_whole(thinking: str, answer: str) -> None:
    thinking = thinking.replace("<", "")
    answer = answer.replace("<", "")
    assert strip_thinking(f"<think>{thinking}</think>{answer}") == (
        answer.strip(),
        thinking.strip(),
    )


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), st.text('</think>x {["')))
def test_a_json_answer_is_never_touched(value: dict[str, str]) -> None:
    text = json.dumps(value)
    assert strip_thinking(text) == (text, None)


@pytest.mark.parametrize(
    ("text", "schema", "result"),
    [
        ("{}", {}, True),
        ("{}", {"type": "object"}, True),
        ('{"a": 1}', {"type": "object", "required": ["a"]}, True),
        ('{"b": 1}', {"type": "object", "required": ["a"]}, False),
        ("[]", {"type": "object"}, False),
        ("[]", {"type": "array"}, True),
        ("[]", {}, True),
        ("null", {"type": ["object", "null"]}, True),
        ("1", {"type": "integer"}, True),
        ("1", {"type": "number"}, True),
        ("1.5", {"type": "integer"}, False),
        ("true", {"type": "integer"}, False),
        ("true", {"type": "boolean"}, True),
        ('"a"', {"enum": ["a"]}, True),
        ("equal", {}, False),
        ("", {}, False),
        ("[" * 100_000, {}, False),
    ],
)
def test_following_a_schema_at_the_top(text: str, schema: dict, result: bool) -> None:
    assert follows(text, schema) is result


# fmt: off
KEYS = [
    "choices", "message", "content", "reasoning_content", "refusal", "tool_calls", "function",
    "usage", "error", "prompt_tokens", "completion_tokens", "prompt_tokens_details",
    "cached_tokens", "finish_reason", "code", "param", "detail", "loc", "msg", "innererror",
    "text", "thinking", "type", "filtered", "\x1b[31m",
]
# fmt: on

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["length", "stop", "429", "</think>", "model not found", "text"])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


def complete(message: Any, extra: Any) -> dict[str, Any]:
    choice = {"message": message, **(extra if isinstance(extra, dict) else {})}
    return {"choices": [choice], **(extra if isinstance(extra, dict) else {})}


BODIES = JSON_VALUES | st.builds(
    complete, st.fixed_dictionaries({"content": JSON_VALUES}) | JSON_VALUES, JSON_VALUES
)


@settings(max_examples=150, deadline=None)
@given(BODIES)
def test_any_json_is_an_answer_or_a_model_error(value: Any) -> None:
    body = parse(json.dumps(value), Counter())
    if not isinstance(body, dict) or reported_error(body):
        return
    reported = read_usage(body)
    try:
        check_prompt(reported, 10, share=0.8, slack=0)
        answer = read_answer(first_choice(body), REQUEST, reported, schema_sent=True)
    except ModelError as error:
        not_an_answer = error
    else:
        assert answer.text.strip()
        usage = usage_of(reported, prompt=1, completion=1, has_text=True)
        assert usage.prompt > 0
        assert usage.completion > 0
        return
    assert not_an_answer.kind in NO_ANSWER
    assert not_an_answer.message.isprintable()


@settings(max_examples=150, deadline=None)
@given(BODIES, st.integers(100, 599), st.text(max_size=10))
def test_any_json_is_some_error(value: Any, status: int, wait: str) -> None:
    body = parse(json.dumps(value), Counter())
    assert classify(complaint_of(body, status)) in ErrorKind
    headers = {"retry-after": wait, "location": wait}
    failures = [failure_from_status(status, headers, body, now=0.0)]
    if isinstance(body, dict):
        failures.append(failure_in_body(value, body, 200, headers, now=0.0))
    for error, _ in failures:
        assert error.message.isprintable()
        assert len(error.message) < 1000
