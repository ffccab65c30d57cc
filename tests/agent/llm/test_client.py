"""The request, its checks and its hash."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.llm.client import ChatRequest, Message, canonical_json, request_hash
from annotation.errors import InvalidInput

HELLO = (Message("user", "hello"),)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"messages": []}, "at least one message"),
        ({"messages": [Message("robot", "x")]}, "role 'robot'"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": 2.1}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"schema_name": "has space"}, "schema_name"),
        ({"schema_name": ""}, "schema_name"),
        ({"params": {"stream": True}}, "stream"),
        ({"params": {"temperature": 1, "n": 2}}, "n, temperature"),
        ({"params": {"top_p": math.inf}}, "JSON"),
        ({"params": {"stop": {1, 2}}}, "JSON"),
        ({"params": {"stop": "\ud800"}}, "JSON"),
        ({"json_schema": {"type": object()}}, "JSON"),
    ],
)
def test_a_request_that_cannot_be_sent_names_the_field(fields: dict, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        ChatRequest(**{"messages": HELLO, **fields})


def test_canonical_json_is_sorted_compact_and_ascii() -> None:
    assert canonical_json({"b": [1, None], "a": "é"}) == '{"a":"\\u00e9","b":[1,null]}'
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(math.nan)


def test_the_hash_is_sha256_of_the_canonical_request() -> None:
    request = ChatRequest(HELLO, temperature=0, seed=7, params={"top_p": 0.5})
    content = {
        "json_schema": None,
        "max_output_tokens": None,
        "messages": [["user", "hello"]],
        "model": "m",
        "params": {"top_p": 0.5},
        "schema_name": None,
        "seed": 7,
        "temperature": 0.0,
    }
    text = json.dumps(content, separators=(",", ":"), sort_keys=True)
    assert request_hash(request, model="m") == hashlib.sha256(text.encode()).hexdigest()


BASE = ChatRequest(
    HELLO, max_output_tokens=5, temperature=0.0, seed=1, json_schema={"a": 1, "b": 2}
)


@pytest.mark.parametrize(
    "changed",
    [
        replace(BASE, messages=(Message("system", "hello"),)),
        replace(BASE, messages=(*HELLO, *HELLO)),
        replace(BASE, max_output_tokens=6),
        replace(BASE, temperature=None),
        replace(BASE, seed=None),
        replace(BASE, json_schema=None),
        replace(BASE, schema_name="other"),
        replace(BASE, params={"top_p": 1}),
    ],
)
def test_everything_that_decides_the_answer_changes_the_hash(changed: ChatRequest) -> None:
    assert request_hash(changed) != request_hash(BASE)


@pytest.mark.parametrize(
    "same",
    [
        replace(BASE, messages=list(HELLO)),
        replace(BASE, temperature=0),
        replace(BASE, json_schema={"b": 2, "a": 1}),
        replace(BASE, expected_prompt_tokens=99),
    ],
)
def test_what_does_not_decide_the_answer_keeps_the_hash(same: ChatRequest) -> None:
    assert request_hash(same) == request_hash(BASE)
    assert request_hash(same, model="a") != request_hash(same, model="b")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(), max_size=5), min_size=1, max_size=3))
def test_message_borders_are_part_of_the_hash(texts: list[str]) -> None:
    apart = ChatRequest([Message("user", text) for text in texts])
    joined = ChatRequest([Message("user", "".join(texts))])
    assert (request_hash(apart) == request_hash(joined)) == (len(texts) == 1)
