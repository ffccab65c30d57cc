"""The fake endpoint itself: a test must not pass on what it did not foresee."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fake_openai import FakeOpenAI, Reply, answer


def post(server: FakeOpenAI, body: object, path: str = "/v1/chat/completions") -> tuple[int, dict]:
    address = server.base_url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(address)
    try:
        connection.request("POST", path, json.dumps(body), {"X-Mine": "1"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


ASK = {"model": "m", "messages": [{"role": "user", "content": "one two three"}]}


def test_a_string_is_a_whole_completion() -> None:
    with FakeOpenAI() as server:
        server.script(["four five"])
        status, body = post(server, ASK)
        recorded = server.requests[0]
    assert status == 200
    assert body["model"] == "m"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "four five"}
    # "one two three" has 13 bytes, a third of which is 5.
    assert body["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    assert (recorded.method, recorded.path) == ("POST", "/v1/chat/completions")
    assert recorded.headers["x-mine"] == "1"
    assert recorded.json == ASK


def test_a_script_that_ran_out_fails_the_test() -> None:
    server = FakeOpenAI().__enter__()
    server.script(["x"])
    assert [post(server, ASK)[0], post(server, ASK)[0]] == [200, 400]
    with pytest.raises(AssertionError, match="request 2 found no reply"):
        server.__exit__(None)


def test_a_script_function_that_fails_fails_the_test() -> None:
    def broken(body: object) -> Reply:
        raise LookupError("no such case")

    server = FakeOpenAI().__enter__()
    server.script(broken)
    with pytest.raises(http.client.RemoteDisconnected):
        post(server, ASK)
    with pytest.raises(AssertionError, match="no such case"):
        server.__exit__(None)


def test_a_path_that_is_no_api_is_a_404() -> None:
    with FakeOpenAI() as server:
        status, body = post(server, ASK, "/chat/completions")
    assert status == 404
    assert "Invalid URL" in body["error"]["message"]


def test_many_threads_get_each_reply_once() -> None:
    with FakeOpenAI() as server, ThreadPoolExecutor(8) as pool:
        server.script([answer(str(number)) for number in range(24)])
        bodies = list(pool.map(lambda _: post(server, ASK)[1], range(24)))
    texts = sorted(int(body["choices"][0]["message"]["content"]) for body in bodies)
    assert texts == list(range(24))
