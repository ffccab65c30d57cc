"""A ChatClient for any OpenAI-compatible endpoint. The only file that imports openai. PURE.

The library sends one request at a time and nothing else: retries, parameters and the reading of
replies are ours, because a judge's answers must not depend on defaults that change between
versions.
"""

from __future__ import annotations

import logging
import random
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import httpx2
import openai

from agent.llm import replies
from agent.llm.address import check_base_url, check_key, is_loopback
from agent.llm.client import Attempt, ChatReply, ChatRequest
from agent.llm.dialect import Complaint, Dialect, SchemaMode, adapt, build_body
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.failures import failure_from_status, failure_in_body, kept
from agent.llm.hostile_text import NotJson, clean_text, decode, parse
from agent.llm.retry import Retrier, RetryPolicy, attempt_of
from agent.llm.tokens import RoughCounter, TokenCounter, count_prompt
from agent.llm.transport import BoundedTransport, ReplyTooLarge, TotalTimeout
from annotation.errors import InvalidInput

log = logging.getLogger(__name__)

# Some servers fail instead of refusing when they cannot compile a schema.
SCHEMA_FAILURES = frozenset({500, 501})


@dataclass(frozen=True)
class Timeouts:
    """Limits of one HTTP exchange in seconds.

    ``read`` is the longest silence, which for a reply that comes in one piece is the whole time of
    thinking and writing; ``total`` bounds a reply that keeps trickling in.
    """

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

    timeouts: Timeouts = field(default_factory=Timeouts)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    merge_roles: bool = False
    raised_limit: int | None = None
    prompt_share: float = 0.8
    prompt_slack: int = 50
    max_reply_bytes: int = 16 * 1024 * 1024


class OpenAIClient:
    """Talks to one model at one endpoint, one call at a time.

    base_url: checked by ``check_base_url``. model: as the endpoint names it.
    api_key: None or "" for endpoints without keys. Kept out of repr, logs, bodies, replies, errors.
    name: the judge's name, put in front of error messages.
    dialect: what the endpoint is known to accept; ``client.dialect`` has what was learned since.
    counter: our own count of prompts, to notice a silently cut prompt and to estimate usage that
        the endpoint does not report. Without one, usage is estimated roughly and prompts are only
        checked when the request says what to expect.
    proxy: a proxy's address, never used for this machine. The environment's proxies are not read.
    sleep, clock, wall_clock, draw: time and chance, injected for tests.

    A client belongs to the thread that first uses it (one per worker loop); another thread gets a
    RuntimeError. Close it, use it as a context manager, or let it go with its thread. Raises
    ``InvalidInput`` for a base URL, model or key that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
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
        if not model.strip():
            raise InvalidInput("A judge needs the name of its model.", code="invalid_model")
        self.base_url = check_base_url(base_url)
        self.model = model
        self.name = name
        self.options = options or ClientOptions()
        self.dialect = dialect or Dialect()
        self._api_key = check_key(api_key or "")
        self._counter = counter
        self._proxy = None if is_loopback(self.base_url) else proxy
        self._clock = clock
        self._wall_clock = wall_clock
        self._retrier = Retrier(self.options.retry, sleep=sleep, clock=clock, draw=draw)
        self._sdk: openai.OpenAI | None = None
        self._closing: Callable[[], object] | None = None
        self._thread: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIClient(base_url={self.base_url!r}, model={self.model!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. A later call, from any one thread, opens new ones."""
        if self._closing is not None:
            self._closing()
        self._sdk = self._closing = self._thread = None

    def complete(self, request: ChatRequest) -> ChatReply:
        """The model's complete answer, or ``ModelError`` after the retries the policy allows."""
        call = _Call(request, self.dialect)
        try:
            reply = self._retrier.call(lambda: self._adapting(call), call.history)
        except ModelError as error:
            if self.name:
                error.about(self.name)
            raise
        return replace(reply, attempts=tuple(call.history))

    def list_models(self) -> tuple[str, ...]:
        """The names of the endpoint's models, sorted. Raises ``ModelError``; is not retried."""
        items = self._exchange("GET", "/models", None).body.get("data")
        listed = items if isinstance(items, list) else []
        names = [item.get("id") for item in listed if isinstance(item, dict)]
        return tuple(sorted(name for name in names if isinstance(name, str)))

    def _adapting(self, call: _Call) -> ChatReply:
        """One try, repeated at once while the endpoint's refusals teach us its dialect."""
        while True:
            body, notes = build_body(
                call.request, self.model, call.dialect, merge_roles=self.options.merge_roles
            )
            started = self._clock()
            try:
                reply = self._answer(call, body)
            except ModelError as error:
                error.raw_request = body
                error.seconds = self._clock() - started
                if not self._changed(call, error, body):
                    raise
                log.info("%r: %s; asking differently", self, error.kind)
                call.history.append(attempt_of(error, waited=0.0))
                continue
            if not call.for_this_call_only:
                self.dialect = call.dialect
            notes = (*notes, *call.notes, *reply.notes)
            return replace(reply, seconds=self._clock() - started, notes=notes)

    def _changed(self, call: _Call, error: ModelError, body: dict[str, Any]) -> bool:
        """Whether ``call`` was changed so that asking again at once makes sense."""
        empty = error.kind in (ErrorKind.EMPTY, ErrorKind.EMPTY_BILLED)
        if empty and "response_format" in body:
            # Some servers answer nothing under a schema. Not remembered: it may be chance.
            call.dialect = replace(call.dialect, schema=SchemaMode.NONE)
            call.for_this_call_only = True
            return True
        limit, raised = call.request.max_output_tokens, self.options.raised_limit
        if error.kind is ErrorKind.TRUNCATED and raised and limit and raised > limit:
            call.request = replace(call.request, max_output_tokens=raised)
            call.notes = (f"raised_limit: {raised}",)
            return True
        changed = adapt(call.dialect, call.complaint, body)
        if changed is None:
            return False
        less_schema = changed.schema is not call.dialect.schema
        if error.kind is not ErrorKind.BAD_REQUEST and not (
            less_schema and call.complaint.status in SCHEMA_FAILURES
        ):
            return False
        call.dialect = changed
        return True

    def _answer(self, call: _Call, body: dict[str, Any]) -> ChatReply:
        """One exchange and its answer, with only the notes that come from the reply."""
        call.complaint = Complaint()
        exchange = self._exchange("POST", "/chat/completions", body, call)
        reported = replies.read_usage(exchange.body)
        counter = self._counter or RoughCounter()
        ours = count_prompt(counter, call.request.messages)
        try:
            answer = self._read(call, exchange, reported, ours)
        except ModelError as error:
            error.status = exchange.status
            error.request_id = exchange.request_id
            error.raw_reply = exchange.body
            if reported.prompt is not None and reported.completion is not None:
                error.usage = replies.usage_of(reported, prompt=0, completion=0, has_text=False)
            raise
        usage = replies.usage_of(
            reported,
            prompt=ours,
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
            notes=(*answer.notes, *estimated, *exchange.notes),
            tool_calls=answer.tool_calls,
        )

    def _read(
        self, call: _Call, exchange: _Exchange, reported: replies.ReportedUsage, ours: int
    ) -> replies.Answer:
        choice = replies.first_choice(exchange.body)
        expected = call.request.expected_prompt_tokens
        if expected is None and self._counter is not None:
            expected = ours
        if expected is not None:
            replies.check_prompt(
                reported,
                expected,
                share=self.options.prompt_share,
                slack=self.options.prompt_slack,
            )
        schema_sent = (
            call.request.json_schema is not None and call.dialect.schema is SchemaMode.JSON_SCHEMA
        )
        return replies.read_answer(choice, call.request, reported, schema_sent=schema_sent)

    def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None, call: _Call | None = None
    ) -> _Exchange:
        """One HTTP exchange. Anything but a JSON object without an error is a ``ModelError``."""
        response = self._send(method, path, body)
        status = response.status_code
        headers = {name.lower(): value for name, value in response.headers.items()}
        request_id = headers.get("x-request-id") or headers.get("request-id")
        repairs: Counter[str] = Counter()
        text = decode(response.content, repairs)
        try:
            content: Any = parse(text, repairs, self._api_key)
        except NotJson:
            content = text = clean_text(text, repairs, self._api_key)
        now = self._wall_clock()
        complaint = Complaint()
        if not 200 <= status < 300:
            error, complaint = failure_from_status(status, headers, content, now=now)
        elif not isinstance(content, dict):
            error = _not_json(status, text)
        elif problem := replies.reported_error(content):
            error, complaint = failure_in_body(problem, content, status, headers, now=now)
        else:
            notes = tuple(f"{name}: {count}" for name, count in sorted(repairs.items()))
            return _Exchange(status, content, request_id, notes)
        error.request_id = request_id
        if call is not None:
            call.complaint = complaint
        raise error

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> httpx2.Response:
        """The endpoint's reply with any status, or ``ModelError`` when there is none.

        The library's own exceptions are not chained: their messages may quote the key.
        """
        try:
            sdk = self._own_sdk()
            if method == "GET":
                return sdk.get(path, cast_to=httpx2.Response)
            return sdk.post(path, cast_to=httpx2.Response, body=body)
        except openai.APIStatusError as error:
            return error.response
        except (openai.APIConnectionError, ReplyTooLarge, httpx2.InvalidURL) as error:
            unanswered = self._unanswered(error)
        raise unanswered

    def _unanswered(self, failure: Exception) -> ModelError:
        """The error for an exchange that brought no complete reply."""
        cause = failure.__cause__ or failure
        timeouts = self.options.timeouts
        kind = ErrorKind.TIMEOUT
        match cause:
            case TotalTimeout():
                what = f"The endpoint did not finish its reply within {timeouts.total:g} seconds."
            case httpx2.ConnectTimeout():
                what = f"No connection to {self.base_url} within {timeouts.connect:g} seconds."
            case httpx2.PoolTimeout():
                what = f"No free connection to the endpoint within {timeouts.pool:g} seconds."
            case httpx2.WriteTimeout():
                what = f"The endpoint did not take the request within {timeouts.write:g} seconds."
            case httpx2.TimeoutException():
                what = f"The endpoint was silent for {timeouts.read:g} seconds."
            case httpx2.ConnectError():
                kind = ErrorKind.CONNECTION
                what = f"No connection to {self.base_url}: {str(cause).rstrip('.')}."
            case ReplyTooLarge():
                kind = ErrorKind.INVALID_REPLY
                limit = self.options.max_reply_bytes
                what = f"The endpoint's reply is longer than {limit:,} bytes."
            case httpx2.DecodingError():
                kind = ErrorKind.INVALID_REPLY
                what = "The endpoint's reply is compressed in a way that cannot be read."
            case httpx2.InvalidURL():
                kind = ErrorKind.WRONG_ADDRESS
                what = f"{self.base_url} is no usable address."
            case _:
                kind = ErrorKind.CONNECTION
                what = "The connection to the endpoint broke before its reply was complete."
        return ModelError(what, kind=kind)

    def _own_sdk(self) -> openai.OpenAI:
        if self._thread is None:
            self._thread = threading.get_ident()
        elif self._thread != threading.get_ident():
            raise RuntimeError("An OpenAIClient belongs to one thread; make one for each.")
        if self._sdk is None:
            limits = self.options.timeouts
            timeout = httpx2.Timeout(
                connect=limits.connect, read=limits.read, write=limits.write, pool=limits.pool
            )
            transport = BoundedTransport(
                self._api_key,
                max_bytes=self.options.max_reply_bytes,
                total_seconds=limits.total,
                clock=self._clock,
                proxy=self._proxy,
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
            self._closing = weakref.finalize(self, self._sdk.close)
        return self._sdk


@dataclass
class _Call:
    """What changes between the tries of one call."""

    request: ChatRequest
    dialect: Dialect
    notes: tuple[str, ...] = ()
    complaint: Complaint = field(default_factory=Complaint)
    for_this_call_only: bool = False
    history: list[Attempt] = field(default_factory=list)


@dataclass(frozen=True)
class _Exchange:
    """A reply that is a JSON object without an error."""

    status: int
    body: dict[str, Any]
    request_id: str | None
    notes: tuple[str, ...]


def _not_json(status: int, text: str) -> ModelError:
    what = "something that is no JSON object"
    if not text.strip():
        what = "an empty body"
    elif text.lstrip().startswith("<"):
        what = "a web page"
    return ModelError(
        f"The endpoint answered HTTP {status} with {what}.",
        kind=ErrorKind.INVALID_REPLY,
        status=status,
        raw_reply=kept(text),
    )


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
