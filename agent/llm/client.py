"""The shape of one model call. PURE: no Django, no openai.

The map of this package, in the order a call passes through it::

    client.py         what is asked and answered: ChatRequest, ChatReply, the ChatClient protocol
    errors.py         what can go wrong: ModelError and its kinds
    tokens.py         how long a text is: o200k_base offline, estimates, the words of a test
    dialect.py        request -> JSON body, in the dialect this endpoint has shown to accept
    address.py        base URLs and keys, checked before use
    openai_client.py  the only file that knows the openai library
    transport.py      which headers leave, how much and how long a reply may be
    hostile_text.py   bytes -> JSON that can be stored: bad UTF-8, NUL, surrogates, NaN, keys
    failures.py       an error status or an error inside a 200 -> ModelError
    replies.py        a reply body -> text, reasoning, usage, or ModelError
    retry.py          which errors are tried again, when, and how often
    scripted.py       a ChatClient without any endpoint, for tests and the keyless demo

Everything above ``openai_client.py`` depends on the ``ChatClient`` protocol alone.

Notes are short, stable strings that say what was repaired or could not be had:

``temperature: provider default``   the endpoint refuses temperature; it was *not* what was asked
``seed: not supported``             the endpoint refuses the seed; it was not sent
``limit: max_completion_tokens``    the output limit was sent under its newer name
``schema: json_object``             only JSON mode was accepted, the schema itself was not sent
``schema: none``                    no response format was sent
``schema_not_enforced``             a schema was sent and accepted, the answer does not follow it
``salvaged_from_reasoning``         the answer stood in the reasoning channel
``think_tags_stripped``             reasoning was cut out of the content
``tool_calls``                      the model called tools; see ``ChatReply.tool_calls``
``content_parts``, ``content_object``  content was not a plain string
``finish_reason_missing``           the endpoint did not say why the answer ended
``usage_estimated``                 the endpoint reported no usable token counts
``roles_merged``                    neighbouring messages of one role were joined before sending
``raised_limit: N``                 the first answer was cut, this one had N output tokens
``request_characters_replaced: N``, ``characters_replaced: N``, ``numbers_replaced: N``,
``key_removed: N``                  what was replaced in the request or the reply, and how often
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from agent.llm.errors import ErrorKind
from annotation.errors import InvalidInput

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"

ROLES = ("system", "developer", "user", "assistant")
SCHEMA_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
RESERVED_PARAMS = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "seed",
        "response_format",
        "stream",
        "n",
    }
)


@dataclass(frozen=True)
class Message:
    """One turn: ``role`` is one of ``ROLES``."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """What to ask, independent of model and endpoint. Only what is set is sent.

    messages: at least one.
    max_output_tokens: limit of the answer including its reasoning, >= 1; None = the provider's.
    temperature: 0..2; None = the provider's.
    seed: any integer; None = not sent.
    json_schema: a JSON schema the answer shall follow. The prompt must describe the answer too:
        endpoints that know no schemas get the prompt alone.
    schema_name: 1..64 letters, digits, ``_`` and ``-``.
    params: further top-level fields of the body (``top_p``, ``reasoning_effort``, ``tools`` ...),
        passed on untouched; fields this class sets itself are refused.
    expected_prompt_tokens: our own count of the prompt, to find out whether the endpoint cut it;
        never sent, not part of ``request_hash``.

    Raises ``InvalidInput`` naming the field.
    """

    messages: Sequence[Message]
    max_output_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    json_schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    params: Mapping[str, JSON] = field(default_factory=dict)
    expected_prompt_tokens: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(self.messages))
        if not self.messages:
            raise InvalidInput("A request needs at least one message.")
        for message in self.messages:
            if message.role not in ROLES:
                raise InvalidInput(
                    f"Unknown message role {message.role!r}; use one of {', '.join(ROLES)}."
                )
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            raise InvalidInput("max_output_tokens must be at least 1.")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise InvalidInput("temperature must lie between 0 and 2.")
        if not SCHEMA_NAME.fullmatch(self.schema_name):
            raise InvalidInput("schema_name takes 1 to 64 letters, digits, '_' and '-'.")
        reserved = sorted(RESERVED_PARAMS & set(self.params))
        if reserved:
            raise InvalidInput(
                f"params cannot set {', '.join(reserved)}: use the fields of the request."
            )
        try:
            content: JSON = {"params": self.params, "schema": self.json_schema}
            json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as problem:
            raise InvalidInput(f"params and json_schema must be plain JSON: {problem}.") from None


@dataclass(frozen=True)
class Usage:
    """Tokens of one call.

    ``cached`` (part of the prompt) and ``reasoning`` (part of the completion) are None when the
    endpoint does not report them. ``source`` is ``estimated`` when prompt or completion is our
    own count.
    """

    prompt: int
    cached: int | None
    completion: int
    reasoning: int | None
    source: Literal["endpoint", "estimated"]


@dataclass(frozen=True)
class ToolCall:
    """A native tool call as written by the model; ``arguments`` is its unparsed text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Attempt:
    """A try that failed before the one that counts, with the wait (seconds) that followed it."""

    kind: ErrorKind
    message: str
    status: int | None
    seconds: float | None
    waited: float
    usage: Usage | None


@dataclass(frozen=True)
class ChatReply:
    """A complete answer and everything needed to judge it again later.

    raw_request: the exact JSON body sent, never headers or keys.
    raw_reply: the body received, as stored text can hold it (see ``hostile_text``).
    served_model, provider, fingerprint: what the endpoint says it used; None when it does not.
    seconds: duration of the last try. ``attempts`` holds the earlier ones, oldest first.
    """

    text: str
    reasoning: str
    finish_reason: str | None
    usage: Usage
    served_model: str | None
    fingerprint: str | None
    request_id: str | None
    raw_request: dict[str, Any]
    raw_reply: dict[str, Any] | str
    seconds: float
    notes: tuple[str, ...] = ()
    provider: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attempts: tuple[Attempt, ...] = ()


class ChatClient(Protocol):
    """Anything that answers a chat request."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the complete answer, or raise ``ModelError``. One call at a time."""
        ...


def canonical_json(value: JSON) -> str:
    """The one text of a JSON value: sorted keys, no spaces, ASCII. ValueError for NaN."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def request_hash(request: ChatRequest, *, model: str = "") -> str:
    """SHA-256 (64 hex digits) of everything that decides the answer.

    The same request to the same ``model`` has the same hash in every process; a finished call
    can be found by it and is never paid for twice. 0 and 0.0 are the same temperature.
    """
    temperature = request.temperature
    if temperature is not None and math.isfinite(temperature):
        temperature = float(temperature)
    content: dict[str, JSON] = {
        "model": model,
        "messages": [[message.role, message.content] for message in request.messages],
        "max_output_tokens": request.max_output_tokens,
        "temperature": temperature,
        "seed": request.seed,
        "json_schema": request.json_schema,
        "schema_name": request.schema_name if request.json_schema is not None else None,
        "params": dict(request.params),
    }
    return hashlib.sha256(canonical_json(content).encode("ascii")).hexdigest()
