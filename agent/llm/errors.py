"""What can go wrong with one model call, as one error type with a kind. PURE: no Django.

``ModelError`` is the only exception a ``ChatClient`` raises for faults of the model, the endpoint
or the network. ``kind`` names the fault (reports count by it), ``temporary`` says whether asking
again later can help, and the message says what happened and what to do. An answer that ended in
a ``ModelError`` is *not scored*: nothing here ever becomes a zero.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from annotation.errors import DomainError

if TYPE_CHECKING:
    from datetime import datetime

    from agent.llm.client import Attempt, Usage


class ErrorKind(StrEnum):
    """The terminal reasons that are stored, counted and shown."""

    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    AUTH = "auth"
    MISSING_KEY = "missing_key"
    QUOTA = "quota"
    REFUSED = "refused"
    CONTENT_FILTER = "content_filter"
    EMPTY = "empty"
    EMPTY_BILLED = "empty_billed"
    TRUNCATED = "truncated"
    PROMPT_TRUNCATED = "prompt_truncated"
    CONTEXT_TOO_LONG = "context_too_long"
    BAD_REQUEST = "bad_request"
    UNKNOWN_MODEL = "unknown_model"
    WRONG_ADDRESS = "wrong_address"
    REDIRECTED = "redirected"
    INVALID_REPLY = "invalid_reply"
    ERROR_IN_BODY = "error_in_body"


TEMPORARY = frozenset(
    {
        ErrorKind.RATE_LIMITED,
        ErrorKind.OVERLOADED,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.EMPTY,
        ErrorKind.EMPTY_BILLED,
        ErrorKind.INVALID_REPLY,
        ErrorKind.ERROR_IN_BODY,
    }
)

ADVICE = {
    ErrorKind.RATE_LIMITED: "Wait, then resume the run, or lower its concurrency.",
    ErrorKind.OVERLOADED: "Resume the run later; if it persists, look at the endpoint's own log.",
    ErrorKind.TIMEOUT: "Raise the judge's time limits or send shorter prompts, then resume.",
    ErrorKind.CONNECTION: "Check the base URL and that the server is running, then resume.",
    ErrorKind.AUTH: "Put a valid key into the judge's key variable, then resume.",
    ErrorKind.MISSING_KEY: "Set the variable (or the file it names), then start the run again.",
    ErrorKind.QUOTA: "Top up the account or raise its spending limit, then resume the run.",
    ErrorKind.REFUSED: "The refusal is kept; this item stays not scored, or use another judge.",
    ErrorKind.CONTENT_FILTER: (
        "This item stays not scored; use a judge without this filter, or ask the provider."
    ),
    ErrorKind.EMPTY: "Resume later, or try the judge without a schema or with thinking switched.",
    ErrorKind.EMPTY_BILLED: "The tokens were charged; try again later or use another server.",
    ErrorKind.TRUNCATED: "Raise the judge's limit of output tokens.",
    ErrorKind.PROMPT_TRUNCATED: (
        "The answer is not used; raise the server's context length or use a longer window."
    ),
    ErrorKind.CONTEXT_TOO_LONG: "Shorten the prompt or the output limit, or use a longer window.",
    ErrorKind.BAD_REQUEST: "Change the judge's parameters accordingly.",
    ErrorKind.UNKNOWN_MODEL: "Check the model name against the endpoint's own list of models.",
    ErrorKind.WRONG_ADDRESS: "Check the base URL; it usually ends in /v1.",
    ErrorKind.REDIRECTED: (
        "Set the base URL to the final address; redirects are not followed, so that the key"
        " goes only where it was meant to go."
    ),
    ErrorKind.INVALID_REPLY: "Check that the base URL is an OpenAI-compatible API, not a web page.",
    ErrorKind.ERROR_IN_BODY: "Resume the run later; if it persists, ask the provider.",
}


class ModelError(DomainError):
    """One model call that gave no usable answer.

    Attributes beside ``message`` and ``code`` (``model_<kind>``):

    kind: the fault.
    temporary: asking again later, unchanged, can help.
    retry_after: seconds the endpoint asked to wait, or None when it did not say.
    retry_at: the same as a time (UTC), or None.
    status: the HTTP status, None when there was no HTTP reply.
    text: what the model did write (a refusal, a cut-off answer); never to be scored.
    raw_request, raw_reply: the JSON body sent and the reply received, without headers and keys.
    usage: the tokens charged for the failed answer, where known.
    attempts: the earlier tries of the same call, oldest first.
    """

    def __init__(
        self,
        what: str,
        *,
        kind: ErrorKind,
        temporary: bool | None = None,
        retry_after: float | None = None,
        retry_at: datetime | None = None,
        status: int | None = None,
        text: str = "",
        raw_reply: dict[str, Any] | str | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(f"{what} {ADVICE[kind]}", code=f"model_{kind}")
        self.kind = kind
        self.temporary = kind in TEMPORARY if temporary is None else temporary
        self.retry_after = retry_after
        self.retry_at = retry_at
        self.status = status
        self.text = text
        self.raw_reply = raw_reply
        self.usage = usage
        self.raw_request: dict[str, Any] | None = None
        self.request_id: str | None = None
        self.seconds: float | None = None
        self.attempts: tuple[Attempt, ...] = ()

    def add(self, sentence: str) -> None:
        """Append a sentence to the message (how often it was tried, when to come back)."""
        self.message = f"{self.message} {sentence}"
        self.args = (self.message,)

    def about(self, name: str) -> None:
        """Put the judge's name in front of the message."""
        self.message = f"{name}: {self.message}"
        self.args = (self.message,)


def missing_key(name: str, variable: str) -> ModelError:
    """The error for a judge called ``name`` whose key variable ``variable`` is not set."""
    return ModelError(
        f"{name} needs an API key, and {variable} is not set.", kind=ErrorKind.MISSING_KEY
    )
