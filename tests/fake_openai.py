"""A real HTTP server in the test process that speaks the OpenAI protocol, faults included.

::

    with FakeOpenAI() as server:
        server.script(["first answer", failure(429, "slow down", headers={"Retry-After": "3"}),
                       answer('{"verdict": "equal"}')])
        ...                              # point a client at server.base_url
        assert server.bodies[0]["model"] == "my-model"

``script`` takes a list, consumed in order by ``POST /v1/chat/completions``, or a function of the
request's JSON that is called for every request (from several threads at once if several ask). Each
item, or what the function returns, is a ``Reply`` or a plain string, short for ``answer(string)``.

Replies are made by ``answer`` (a completion, with every field that can be odd), ``failure`` (an
error status in OpenAI's shape), ``raw`` (any bytes), and their modifiers: ``Reply.cut(n)`` breaks
the connection after n bytes of the body, ``Reply.held()`` waits, before anything is sent, for
``server.release()`` (or the end of the ``with``), ``Reply.pieces`` sends a body bit by bit.

``server.requests`` holds every request (method, path, headers in lower case, body, JSON),
``server.bodies`` the JSON of the chat requests alone. ``server.wait_for(n)`` waits until n
requests have come. ``GET /v1/models`` lists ``models``; when ``models`` is given, a chat request
for another one gets OpenAI's 404. When ``api_key`` is given, another key gets its 401.

Leaving the ``with`` raises when the script ran out or a handler failed, so that a test cannot
pass on a request it did not foresee.
"""

from __future__ import annotations

import json
import socket
import socketserver
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Self

COUNTED = "counted"
WAIT_SECONDS = 20.0


@dataclass(frozen=True)
class Reply:
    """One HTTP reply. ``body`` is bytes, text, or JSON; ``pieces``, if given, replaces it.

    ``fill`` marks a completion whose model and usage the server fills in from the request.
    """

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes] | None = None
    cut_after: int | None = None
    hold: bool = False
    fill: bool = False

    def cut(self, after: int) -> Reply:
        """The same reply, with the connection broken after so many bytes of its body."""
        return replace(self, cut_after=after)

    def held(self) -> Reply:
        """The same reply, not begun before ``server.release()``."""
        return replace(self, hold=True)


Scripted = Reply | str


def answer(
    content: Any,
    *,
    finish_reason: str | None = "stop",
    reasoning: Any = None,
    refusal: str | None = None,
    tool_calls: list[dict[str, Any]] | None = None,
    usage: Any = COUNTED,
    model: str | None = None,
    headers: Mapping[str, str] | None = None,
    **extra: Any,
) -> Reply:
    """A chat completion.

    usage: ``COUNTED`` (a third of the prompt's bytes, which is never fewer tokens than a client
    would count itself; the words of the answer), None (left out), or any JSON.
    model: None repeats the request's. extra: further top-level fields (``system_fingerprint``,
    ``error``), or replacements (``choices``).
    """
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if refusal is not None:
        message["refusal"] = refusal
    if tool_calls is not None:
        message["tool_calls"] = tool_calls
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": usage,
        **extra,
    }
    return Reply(body=body, headers=headers or {}, fill=True)


def tool_call(name: str, arguments: str, *, call_id: str = "call_1") -> dict[str, Any]:
    """One native tool call for ``answer(None, tool_calls=[...], finish_reason="tool_calls")``."""
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def failure(
    status: int,
    message: str = "something went wrong",
    *,
    code: Any = None,
    param: str | None = None,
    type: str = "invalid_request_error",
    headers: Mapping[str, str] | None = None,
    **extra: Any,
) -> Reply:
    """An error status with OpenAI's body; ``extra`` goes into the ``error`` object."""
    error = {"message": message, "type": type, "param": param, "code": code, **extra}
    return Reply(status=status, body={"error": error}, headers=headers or {})


def raw(
    body: bytes | str,
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Any bytes: broken JSON, a web page, bad UTF-8."""
    return Reply(
        status=status, body=body, headers={"Content-Type": content_type, **(headers or {})}
    )


@dataclass(frozen=True)
class Recorded:
    """A request as it arrived. ``json`` is None when the body is empty or no JSON."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    json: Any


class FakeOpenAI:
    """The server. See the module's docstring."""

    def __init__(self, *, models: Iterable[str] | None = None, api_key: str | None = None) -> None:
        self._models = None if models is None else tuple(models)
        self._api_key = api_key
        self._released = threading.Event()
        self._changed = threading.Condition()
        self._requests: list[Recorded] = []
        self._problems: list[str] = []
        self._function: Callable[[Any], Scripted] | None = None
        self._items: list[Scripted] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def base_url(self) -> str:
        """The address for a client, ending in ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, in order of arrival."""
        with self._changed:
            return list(self._requests)

    @property
    def bodies(self) -> list[Any]:
        """The JSON of every chat request so far."""
        return [request.json for request in self.requests if request.method == "POST"]

    def script(self, replies: Iterable[Scripted] | Callable[[Any], Scripted]) -> None:
        """Replace the script (what has been recorded stays)."""
        with self._changed:
            self._function = replies if callable(replies) else None
            self._items = [] if callable(replies) else list(replies)

    def release(self) -> None:
        """Let held replies go, now and from now on."""
        self._released.set()

    def wait_for(self, count: int) -> None:
        """Wait until ``count`` requests have come; AssertionError after ``WAIT_SECONDS``."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, WAIT_SECONDS):
                raise AssertionError(f"{len(self._requests)} of {count} requests came")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, exception_type: type[BaseException] | None, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close_all()
        if exception_type is None and self._problems:
            raise AssertionError("the fake endpoint: " + "; ".join(self._problems))

    def _problem(self, text: str) -> None:
        with self._changed:
            self._problems.append(text)

    def _answer(self, request: Recorded) -> Reply:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
        if self._api_key is not None and (
            request.headers.get("authorization") != f"Bearer {self._api_key}"
        ):
            return failure(401, "Incorrect API key provided.", code="invalid_api_key")
        if (request.method, request.path) == ("GET", "/v1/models"):
            listed = [{"id": name, "object": "model"} for name in self._models or ("fake-model",)]
            return Reply(body={"object": "list", "data": listed})
        if (request.method, request.path) != ("POST", "/v1/chat/completions"):
            return failure(404, f"Invalid URL ({request.method} {request.path})")
        model = request.json.get("model") if isinstance(request.json, dict) else None
        if self._models is not None and model not in self._models:
            message = f"The model `{model}` does not exist or you do not have access to it."
            return failure(404, message, code="model_not_found", param="model")
        return self._scripted(request)

    def _scripted(self, request: Recorded) -> Reply:
        with self._changed:
            function = self._function
            item = None if function or not self._items else self._items.pop(0)
        if function is not None:
            item = function(request.json)
        if item is None:
            self._problem(f"request {len(self.requests)} found no reply in the script")
            return failure(400, "the script is exhausted")
        if isinstance(item, str):
            item = answer(item)
        if item.hold:
            self._released.wait(WAIT_SECONDS)
        return _filled(item, request.json) if item.fill else item


def _filled(reply: Reply, request: Any) -> Reply:
    body = dict(reply.body)
    if body["model"] is None:
        body["model"] = request.get("model")
    if body["usage"] is None:
        del body["usage"]
    elif body["usage"] == COUNTED:
        size = sum(len(message["content"].encode()) for message in request["messages"])
        prompt = -(-size // 3)
        content = body["choices"][0]["message"]["content"] if body["choices"] else ""
        completion = len(content.split()) if isinstance(content, str) else 0
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return replace(reply, body=body)


class _Server(socketserver.ThreadingMixIn, HTTPServer):
    daemon_threads = False
    request_queue_size = 128
    fake: FakeOpenAI

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def close_all(self) -> None:
        """End connections that clients keep alive, then wait for their threads."""
        with self._lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that hangs up is part of many tests; anything else is a fault of the server.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            self.fake._problem(traceback.format_exc(limit=-3))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def log_message(self, *_: Any) -> None:
        pass

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            content = json.loads(body) if body else None
        except ValueError:
            content = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.fake._answer(Recorded(self.command, self.path, headers, body, content))
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        body = reply.body
        if not isinstance(body, bytes):
            body = (body if isinstance(body, str) else json.dumps(body)).encode("utf-8")
        self.send_response(reply.status)
        sent = {"Content-Type": "application/json", **reply.headers}
        if reply.pieces is not None:
            sent["Transfer-Encoding"] = "chunked"
        else:
            sent["Content-Length"] = str(len(body))
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.pieces is not None:
            for piece in reply.pieces:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        elif reply.cut_after is not None:
            self.wfile.write(body[: reply.cut_after])
            self.wfile.flush()
            self.close_connection = True
        else:
            self.wfile.write(body)
