"""A ChatClient for any OpenAI-compatible endpoint. The only file that imports openai. PURE.

The library sends one request at a time and nothing else: retries, parameters and the reading of
replies are ours, because a judge's answers must not depend on defaults that change between
versions. What leaves this process is decided in ``_Transport``: the JSON body, the key, and no
header, proxy, organisation or account taken from the environment.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any, NoReturn, Self
from urllib.parse import urlsplit

import httpx2
import openai

from agent.llm import replies
from agent.llm.client import Attempt, ChatReply, ChatRequest
from agent.llm.dialect import Complaint, Dialect, SchemaMode, adapt, build_body
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.failures import failure_from_status, failure_in_body, kept
from agent.llm.hostile_text import NotJson, decode, parse
from agent.llm.retry import Retrier, RetryPolicy, attempt_of
from agent.llm.tokens import RoughCounter, TokenCounter, count_prompt
from annotation.errors import InvalidInput

log = logging.getLogger(__name__)

SENT_HEADERS = frozenset({"host", "content-type", "content-length", "user-agent"})
ADAPTABLE_STATUS = frozenset({400, 422})
# Some servers fail instead of refusing when they cannot compile a schema.
SCHEMA_STATUS = ADAPTABLE_STATUS | {500, 501}


@dataclass(frozen=True)
class Timeouts:
    """Limits of one HTTP exchange in seconds; ``read`` is the longest silence, ``total`` bounds all."""

    connect: float = 10.0
    read: float = 300.0
    write: float = 60.0
    pool: float = 10.0
    total: float = 900.0


@dataclass(frozen=True)
class ClientOptions:
    """How a client behaves, beyond what a request says.

    merge_roles: join neighbouring messages of one role (chat templates that insist on turns).
    raised_limit: when an answer is cut off, ask once more with this many output tokens.
    prompt_share, prompt_slack: an endpoint that reports fewer prompt tokens than share x our count
        minus slack has cut the prompt (``replies.check_prompt``).
    max_reply_bytes: longest reply body that is read.
    """

    timeouts: Timeouts = Timeouts()
    retry: RetryPolicy = RetryPolicy()
    merge_roles: bool = False
    raised_limit: int | None = None
    prompt_share: float = 0.8
    prompt_slack: int = 50
    max_reply_bytes: int = 16 * 1024 * 1024


def check_base_url(url: str) -> str:
    """Return ``url`` without a final slash.

    Raises ``InvalidInput`` unless it is an http(s) address with a host and without user, password,
    query or fragment.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or any(c.isspace() or not c.isprintable() for c in url) or "\\" in url:
        raise InvalidInput(
            "The base URL must be an http or https address such as https://host/v1.",
            code="invalid_base_url",
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidInput(
            "The base URL must not carry a user, password, query or fragment; a key belongs into"
            " the judge's key variable.",
            code="invalid_base_url",
        )
    if parts.path.rstrip("/").endswith("/completions"):
        raise InvalidInput(
            "The base URL ends before /chat/completions, usually with /v1.",
            code="invalid_base_url",
        )
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether a checked base URL names this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class OpenAIClient:
    """Talks to one model at one endpoint, one call at a time.

    base_url: checked by ``check_base_url``. model: as the endpoint names it.
    api_key: "" for endpoints without keys. Kept out of repr, logs, bodies, replies and errors.
    name: the judge's name, put in front of error messages.
    dialect: what the endpoint is known to accept; ``client.dialect`` has what was learned since.
    counter: our own count of prompts, to notice a silently cut prompt and to estimate usage that
        the endpoint does not report. Without one, usage is estimated roughly and prompts are only
        checked when the request says what to expect.
    proxy: a proxy's address, never used for this machine. The environment's proxies are not read.
    sleep, clock, wall_clock, draw: time and chance, injected for tests.

    A client belongs to the thread that first uses it (one per worker loop); another thread gets a
    RuntimeError. Close it, or use it as a context manager.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        name: str = "",
        options: ClientOptions | None = None,
        dialect: Dialect | None = None,
        counter: TokenCounter | None = None,
        proxy: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.base_url = check_base_url(base_url)
        self.model = model
        self.name = name
        self.options = options or ClientOptions()
        self.dialect = dialect or Dialect()
        self._api_key = _checked_key(api_key)
        self._counter = counter
        self._proxy = None if is_loopback(self.base_url) else proxy
        self._clock = clock
        self._wall_clock = wall_clock
        self._retrier = Retrier(self.options.retry, sleep=sleep, clock=clock, draw=draw)
        self._sdk: openai.OpenAI | None = None
        self._thread: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIClient(base_url={self.base_url!r}, model={self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The client can be used again and then opens new ones."""
        if self._sdk is not None:
            self._sdk.close()
        self._sdk = self._thread = None

    def complete(self, request: ChatRequest) -> ChatReply:
        """The model's complete answer, or ``ModelError`` after the retries the policy allows."""
        call = _Call(request, self.dialect)
        history: list[Attempt] = []
        try:
            reply = self._retrier.call(lambda: self._adapting(call, history), history)
        except ModelError as error:
            if self.name:
                error.about(self.name)
            raise
        return replace(reply, attempts=tuple(history))

    def list_models(self) -> tuple[str, ...]:
        """The names of the endpoint's models, sorted. Raises ``ModelError``; is not retried."""
        exchange = self._exchange("GET", "/models", None)
        items = exchange.body.get("data")
        names = [item.get("id") for item in items or [] if isinstance(item, dict)]
        return tuple(sorted(name for name in names if isinstance(name, str)))

    def _adapting(self, call: _Call, history: list[Attempt]) -> ChatReply:
        """One try, repeated at once while the endpoint's refusals teach us its dialect."""
        while True:
            body, notes = build_body(
                call.request, self.model, call.dialect, merge_roles=self.options.merge_roles
            )
            started = self._clock()
            try:
                reply = self._answer(call, body, notes)
            except ModelError as error:
                error.raw_request = body
                error.seconds = self._clock() - started
                if not self._changed(call, error, body):
                    raise
                log.info("%r: %s; asking differently", self, error.kind)
                history.append(attempt_of(error, waited=0.0))
                continue
            if not call.for_this_call_only:
                self.dialect = call.dialect
            return replace(reply, seconds=self._clock() - started)

    def _changed(self, call: _Call, error: ModelError, body: dict[str, Any]) -> bool:
        """Whether ``call`` was changed so that asking again at once makes sense."""
        empty = error.kind in (ErrorKind.EMPTY, ErrorKind.EMPTY_BILLED)
        if empty and "response_format" in body:
            # Once, for this call: some servers answer nothing under a schema.
            call.dialect = replace(call.dialect, schema=SchemaMode.NONE)
            call.for_this_call_only = True
            return True
        limit, raised = call.request.max_output_tokens, self.options.raised_limit
        if error.kind is ErrorKind.TRUNCATED and raised and limit and raised > limit:
            call.request = replace(call.request, max_output_tokens=raised)
            call.notes = (f"raised_limit: {raised}",)
            return True
        if call.complaint is None:
            return False
        changed = adapt(call.dialect, call.complaint, body)
        status = call.complaint.status
        if changed is None or not (
            (error.kind is ErrorKind.BAD_REQUEST and status in ADAPTABLE_STATUS)
            or (changed.schema is not call.dialect.schema and status in SCHEMA_STATUS)
        ):
            return False
        call.dialect = changed
        return True

    def _answer(self, call: _Call, body: dict[str, Any], notes: tuple[str, ...]) -> ChatReply:
        call.complaint = None
        request = call.request
        exchange = self._exchange("POST", "/chat/completions", body, call)
        reported = replies.read_usage(exchange.body)
        expected = self._expected_prompt(request)
        schema_sent = request.json_schema is not None and (
            call.dialect.schema is SchemaMode.JSON_SCHEMA
        )
        try:
            choice = replies.first_choice(exchange.body)
            if expected is not None:
                replies.check_prompt(
                    reported,
                    expected,
                    share=self.options.prompt_share,
                    slack=self.options.prompt_slack,
                )
            answer = replies.read_answer(choice, request, reported, schema_sent=schema_sent)
        except ModelError as error:
            error.status = exchange.status
            error.request_id = exchange.request_id
            error.raw_reply = exchange.body
            if reported.prompt is not None and reported.completion is not None:
                error.usage = replies.usage_of(reported, prompt=0, completion=0, has_text=False)
            raise
        counter = self._counter or RoughCounter()
        usage = replies.usage_of(
            reported,
            prompt=count_prompt(counter, request.messages) if reported.prompt is None else 0,
            completion=counter.count(answer.reasoning + answer.text),
            has_text=bool(answer.text),
        )
        estimated = ("usage_estimated",) if usage.source == "estimated" else ()
        return ChatReply(
            text=answer.text,
            reasoning=answer.reasoning,
            finish_reason=answer.finish_reason,
            usage=usage,
            served_model=_string(exchange.body.get("model")),
            fingerprint=_string(exchange.body.get("system_fingerprint")),
            provider=_string(exchange.body.get("provider")),
            request_id=exchange.request_id,
            raw_request=body,
            raw_reply=exchange.body,
            seconds=0.0,
            notes=(*notes, *call.notes, *answer.notes, *estimated, *exchange.notes),
            tool_calls=answer.tool_calls,
        )

    def _expected_prompt(self, request: ChatRequest) -> int | None:
        if request.expected_prompt_tokens is not None or self._counter is None:
            return request.expected_prompt_tokens
        return count_prompt(self._counter, request.messages)

    def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None, call: _Call | None = None
    ) -> _Exchange:
        """One HTTP exchange. Anything but a JSON object without an error is a ``ModelError``."""
        response = self._send(method, path, body)
        headers = {name.lower(): value for name, value in response.headers.items()}
        request_id = headers.get("x-request-id") or headers.get("request-id")
        repairs: Counter[str] = Counter()
        text = decode(response.content, repairs)
        try:
            content: Any = parse(text, repairs, self._api_key)
        except NotJson:
            content = None
        now = self._wall_clock()
        if response.status_code >= 300 or response.status_code < 200:
            shown = self._hidden(text) if content is None else content
            error, complaint = failure_from_status(response.status_code, headers, shown, now=now)
        elif not isinstance(content, dict):
            error, complaint = self._unreadable(response.status_code, text), Complaint()
        elif problem := content.get("error") or _choice_error(content):
            error, complaint = failure_in_body(
                problem, content, response.status_code, headers, now=now
            )
        else:
            notes = tuple(f"{name}: {count}" for name, count in sorted(repairs.items()))
            return _Exchange(response.status_code, content, request_id, notes)
        error.request_id = request_id
        if call is not None:
            call.complaint = complaint
        raise error

    def _unreadable(self, status: int, text: str) -> ModelError:
        what = "a web page" if text.lstrip().startswith("<") else "something that is no JSON object"
        if not text.strip():
            what = "an empty body"
        return ModelError(
            f"The endpoint answered HTTP {status} with {what}.",
            kind=ErrorKind.INVALID_REPLY,
            status=status,
            raw_reply=kept(self._hidden(text)),
        )

    def _hidden(self, text: str) -> str:
        """Text that is no JSON, without the key (even a short one) and without NUL."""
        text = text.replace("\x00", "\ufffd")
        return text.replace(self._api_key, "[key removed]") if self._api_key else text

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> httpx2.Response:
        """The endpoint's reply with any status, or ``ModelError`` when there is none.

        The library's own exceptions are not chained: their messages may quote the key.
        """
        failure: Exception
        try:
            sdk = self._own_sdk()
            if method == "GET":
                return sdk.get(path, cast_to=httpx2.Response)
            return sdk.post(path, cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            return error.response
        except (openai.APIConnectionError, _ReplyTooLarge) as error:
            failure = error
        self._raise_unanswered(failure)

    def _raise_unanswered(self, failure: Exception) -> NoReturn:
        cause = failure.__cause__
        timeouts = self.options.timeouts
        if isinstance(failure, _ReplyTooLarge):
            raise ModelError(
                f"The endpoint's reply is longer than {self.options.max_reply_bytes:,} bytes.",
                kind=ErrorKind.INVALID_REPLY,
            )
        if isinstance(cause, _TotalTimeout):
            what = f"The endpoint did not finish its reply within {timeouts.total:g} seconds."
        elif isinstance(cause, httpx2.ConnectTimeout):
            what = f"No connection to the endpoint within {timeouts.connect:g} seconds."
        elif isinstance(cause, httpx2.PoolTimeout):
            what = f"No free connection to the endpoint within {timeouts.pool:g} seconds."
        elif isinstance(failure, openai.APITimeoutError):
            what = f"The endpoint was silent for {timeouts.read:g} seconds."
        elif isinstance(cause, httpx2.ConnectError):
            raise ModelError(
                f"No connection to {self.base_url}: {self._hidden(str(cause))}.",
                kind=ErrorKind.CONNECTION,
            )
        else:
            raise ModelError(
                "The connection to the endpoint broke before its reply was complete.",
                kind=ErrorKind.CONNECTION,
            )
        raise ModelError(what, kind=ErrorKind.TIMEOUT)

    def _own_sdk(self) -> openai.OpenAI:
        if self._thread is None:
            self._thread = threading.get_ident()
        elif self._thread != threading.get_ident():
            raise RuntimeError("An OpenAIClient belongs to one thread; make one for each.")
        if self._sdk is None:
            timeouts = self.options.timeouts
            transport = _Transport(
                self._api_key,
                max_bytes=self.options.max_reply_bytes,
                total_seconds=timeouts.total,
                clock=self._clock,
                proxy=self._proxy,
            )
            timeout = httpx2.Timeout(
                connect=timeouts.connect,
                read=timeouts.read,
                write=timeouts.write,
                pool=timeouts.pool,
            )
            self._sdk = openai.OpenAI(
                # The library refuses to start without a key; the transport sends the real one.
                api_key="set-by-transport",
                base_url=self.base_url,
                max_retries=0,
                timeout=timeout,
                http_client=httpx2.Client(
                    transport=transport, timeout=timeout, follow_redirects=False, trust_env=False
                ),
            )
        return self._sdk


@dataclass
class _Call:
    """What changes between the tries of one call."""

    request: ChatRequest
    dialect: Dialect
    notes: tuple[str, ...] = ()
    complaint: Complaint | None = None
    for_this_call_only: bool = False


@dataclass(frozen=True)
class _Exchange:
    """A reply that is a JSON object without an error."""

    status: int
    body: dict[str, Any]
    request_id: str | None
    notes: tuple[str, ...]


class _ReplyTooLarge(Exception):
    """The reply has more bytes than may be read."""


class _TotalTimeout(httpx2.ReadTimeout):
    """The whole exchange took too long, though bytes kept coming."""


class _Transport(httpx2.BaseTransport):
    """Sends chosen headers only, reads a bounded reply in bounded time."""

    def __init__(
        self,
        api_key: str,
        *,
        max_bytes: int,
        total_seconds: float,
        clock: Callable[[], float],
        proxy: str | None,
    ) -> None:
        self._api_key = api_key
        self._max_bytes = max_bytes
        self._total_seconds = total_seconds
        self._clock = clock
        # A worker asks one thing at a time; the second connection replaces a broken one.
        limits = httpx2.Limits(max_connections=2, max_keepalive_connections=1)
        self._inner = httpx2.HTTPTransport(limits=limits, proxy=proxy)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        deadline = self._clock() + self._total_seconds
        headers = {k: v for k, v in request.headers.items() if k.lower() in SENT_HEADERS}
        headers |= {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        request.headers = httpx2.Headers(headers)
        response = self._inner.handle_request(request)
        try:
            content = self._read(response, deadline)
        finally:
            response.close()
        # The content is decoded already; these two describe it as it was on the wire.
        kept_headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name.lower() not in ("content-encoding", "transfer-encoding", "content-length")
        ]
        return httpx2.Response(response.status_code, headers=kept_headers, content=content)

    def _read(self, response: httpx2.Response, deadline: float) -> bytes:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > self._max_bytes:
                raise _ReplyTooLarge
            if self._clock() > deadline:
                raise _TotalTimeout("The reply took too long.")
            chunks.append(chunk)
        return b"".join(chunks)

    def close(self) -> None:
        self._inner.close()


def _checked_key(key: str) -> str:
    key = key.strip()
    if any(not 33 <= ord(character) <= 126 for character in key):
        raise InvalidInput(
            "The API key contains a space, a line break or another character that no key has;"
            " check the variable or the file it names.",
            code="invalid_api_key",
        )
    return key


def _choice_error(body: dict[str, Any]) -> Any:
    """OpenRouter reports a provider's failure inside the choice."""
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0].get("error")
    return None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
