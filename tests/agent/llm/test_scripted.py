"""The client without an endpoint."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.llm.client import ChatClient, ChatRequest, Usage
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.scripted import ScriptedClient, ScriptExhausted

Ask = Callable[..., ChatRequest]


def test_answers_come_in_order_and_requests_are_kept(ask: Ask) -> None:
    failure = ModelError("No.", kind=ErrorKind.REFUSED)
    client: ChatClient = ScriptedClient(["one two", failure])
    first = ask("a b c", temperature=0)
    reply = client.complete(first)
    assert (reply.text, reply.finish_reason) == ("one two", "stop")
    assert reply.usage == Usage(3 + 4, None, 2, None, "estimated")
    assert reply.raw_request == {
        "model": "scripted",
        "messages": [{"role": "user", "content": "a b c"}],
        "temperature": 0,
    }
    with pytest.raises(ModelError) as caught:
        client.complete(ask("d"))
    assert caught.value is failure
    assert isinstance(client, ScriptedClient)
    assert client.requests == [first, ask("d")]


def test_a_whole_reply_is_passed_on(ask: Ask) -> None:
    reply = ScriptedClient(["x"]).complete(ask())
    assert ScriptedClient([reply]).complete(ask()) == reply


def test_a_function_answers_by_the_request(ask: Ask) -> None:
    client = ScriptedClient(lambda request: request.messages[0].content.upper())
    assert client.complete(ask("abc")).text == "ABC"


def test_an_empty_text_is_an_answer(ask: Ask) -> None:
    assert ScriptedClient([""]).complete(ask()).text == ""


def test_a_script_that_ran_out_says_so(ask: Ask) -> None:
    client = ScriptedClient(["x"])
    client.complete(ask())
    with pytest.raises(ScriptExhausted, match="request 2"):
        client.complete(ask())
