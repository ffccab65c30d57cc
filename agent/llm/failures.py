"""An error status, or an error inside a 200, as a ``ModelError``. PURE.

The body is read before the status: gateways put rate limits into 200, content filters into 400,
empty accounts into 429 and wrong keys into 400. Retrying depends on telling them apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from agent.llm.dialect import Complaint
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.retry import parse_retry_after

QUOTED_LENGTH = 300
KEPT_LENGTH = 65_536
READ_LENGTH = 2_000

CODES = {
    "content_filter": ErrorKind.CONTENT_FILTER,
    "content_policy_violation": ErrorKind.CONTENT_FILTER,
    "responsibleaipolicyviolation": ErrorKind.CONTENT_FILTER,
    "insufficient_quota": ErrorKind.QUOTA,
    "insufficient_funds": ErrorKind.QUOTA,
    "billing_not_active": ErrorKind.QUOTA,
    "billing_hard_limit_reached": ErrorKind.QUOTA,
    "context_length_exceeded": ErrorKind.CONTEXT_TOO_LONG,
    "exceed_context_size_error": ErrorKind.CONTEXT_TOO_LONG,
    "model_not_found": ErrorKind.UNKNOWN_MODEL,
    "invalid_api_key": ErrorKind.AUTH,
    "authentication_error": ErrorKind.AUTH,
    "permission_error": ErrorKind.AUTH,
    "rate_limit_exceeded": ErrorKind.RATE_LIMITED,
    "rate_limit_error": ErrorKind.RATE_LIMITED,
    "overloaded_error": ErrorKind.OVERLOADED,
    "server_error": ErrorKind.OVERLOADED,
}

FILTER_WORDS = re.compile(r"content management policy|content filter|safety system", re.I)
QUOTA_WORDS = re.compile(
    r"insufficient (quota|funds|credits?|balance)|credit balance is too low|billing (hard )?limit"
    r"|(out of|no|not enough) credits?|payment required",
    re.I,
)
CONTEXT_WORDS = re.compile(
    r"context (length|size|window)|prompt is too long|input is too long|too many (input )?tokens"
    r"|reduce the length|max_tokens must be at least 1, got -|token count .*exceeds"
    r"|input length and .?max_tokens.? exceed",
    re.I,
)
MODEL_WORDS = re.compile(
    r"models?\b.{0,120}(does not exist|not found|decommissioned)"
    r"|(unknown|invalid|no such) model\b|not a valid model",
    re.I | re.S,
)
KEY_WORDS = re.compile(
    r"(incorrect|invalid|missing|no|expired) api.?key"
    r"|api.?key (is )?(not valid|invalid|missing|expired)",
    re.I,
)


WHAT = {
    ErrorKind.RATE_LIMITED: "The endpoint limits the rate of requests",
    ErrorKind.OVERLOADED: "The endpoint failed or is overloaded",
    ErrorKind.TIMEOUT: "The endpoint gave up waiting",
    ErrorKind.AUTH: "The endpoint does not accept the API key",
    ErrorKind.QUOTA: "The account behind the API key has no money or quota left",
    ErrorKind.CONTENT_FILTER: "The provider's content filter blocked the request",
    ErrorKind.CONTEXT_TOO_LONG: "The prompt is too long for the model",
    ErrorKind.UNKNOWN_MODEL: "The endpoint does not know the model",
    ErrorKind.WRONG_ADDRESS: "There is no chat API at this address",
    ErrorKind.ERROR_IN_BODY: "The endpoint reports an error",
}


def complaint_of(body: Any, status: int | None = None) -> Complaint:
    """Read the dialects of error bodies: nested or flat errors, lists, FastAPI details, text."""
    if isinstance(body, list) and body and isinstance(body[0], dict):
        body = body[0]
    if isinstance(body, str):
        return Complaint(message=body[:READ_LENGTH], status=status)
    if not isinstance(body, dict):
        return Complaint(status=status)
    error = body.get("error") or body
    if isinstance(error, str):
        return Complaint(message=error[:READ_LENGTH], status=status)
    if not isinstance(error, dict):
        return Complaint(status=status)
    code, inner = _text(error.get("code")), error.get("innererror")
    if isinstance(inner, dict) and _text(inner.get("code")).lower() in CODES:
        code = _text(inner.get("code"))
    message, param = _text(error.get("message")), _text(error.get("param"))
    detail = error.get("detail")
    if isinstance(detail, str):
        message = message or detail
    elif isinstance(detail, list) and detail and isinstance(detail[0], dict):
        # FastAPI: [{"loc": ["body", "max_tokens"], "msg": "Extra inputs are not permitted"}]
        location = detail[0].get("loc")
        param = param or ".".join(map(str, location if isinstance(location, list) else []))
        message = message or _text(detail[0].get("msg"))
    kind = _text(error.get("type")) or _text(error.get("status"))
    return Complaint(message, code=code, type=kind, param=param, status=status)


def classify(complaint: Complaint) -> ErrorKind:
    """The kind of an error, from its code, then its words, then its status."""
    status = complaint.status
    for name in (complaint.code.lower(), complaint.type.lower()):
        if name in CODES:
            return CODES[name]
    if FILTER_WORDS.search(complaint.message) and status in (None, 200, 400, 403):
        return ErrorKind.CONTENT_FILTER
    if status == 402 or QUOTA_WORDS.search(complaint.message):
        return ErrorKind.QUOTA
    if KEY_WORDS.search(complaint.message) and status not in (429, 500, 502, 503):
        return ErrorKind.AUTH
    if status in (None, 200, 400, 413, 422, 500) and CONTEXT_WORDS.search(complaint.message):
        return ErrorKind.CONTEXT_TOO_LONG
    if status in (None, 200, 400, 404, 422) and (
        complaint.param == "model" or MODEL_WORDS.search(complaint.message)
    ):
        return ErrorKind.UNKNOWN_MODEL
    return _by_status(status)


def _by_status(status: int | None) -> ErrorKind:
    if status is None or status < 300:
        return ErrorKind.ERROR_IN_BODY
    if status < 400:
        return ErrorKind.REDIRECTED
    special = {
        401: ErrorKind.AUTH,
        403: ErrorKind.AUTH,
        404: ErrorKind.WRONG_ADDRESS,
        405: ErrorKind.WRONG_ADDRESS,
        407: ErrorKind.AUTH,
        408: ErrorKind.TIMEOUT,
        409: ErrorKind.OVERLOADED,
        413: ErrorKind.CONTEXT_TOO_LONG,
        425: ErrorKind.OVERLOADED,
        429: ErrorKind.RATE_LIMITED,
    }
    if status in special:
        return special[status]
    return ErrorKind.OVERLOADED if status >= 500 else ErrorKind.BAD_REQUEST


def failure_from_status(
    status: int, headers: Mapping[str, str], body: Any, *, now: float
) -> tuple[ModelError, Complaint]:
    """The error of a reply whose status is not 2xx.

    headers: names in lower case. body: parsed JSON, or the text itself. now: seconds since the
    epoch, to read dates in ``Retry-After``.
    """
    complaint = complaint_of(body, status)
    kind = classify(complaint)
    if kind is ErrorKind.REDIRECTED:
        what = f"The endpoint answers with a redirect to {_host(headers.get('location', ''))}."
    else:
        what = f"{WHAT.get(kind, 'The endpoint refuses the request')} (HTTP {status})"
        what += _quoted(complaint, body)
    return _with_wait(what, kind, status, headers, body, now), complaint


def failure_in_body(
    error: Any, body: dict[str, Any], status: int, headers: Mapping[str, str], *, now: float
) -> tuple[ModelError, Complaint]:
    """The error of a 2xx reply that carries ``error`` instead of an answer."""
    complaint = complaint_of({"error": error})
    code = int(complaint.code) if re.fullmatch("[45][0-9]{2}", complaint.code) else None
    complaint = Complaint(
        complaint.message, complaint.code, complaint.type, complaint.param, status=code
    )
    kind = classify(complaint)
    what = f"{WHAT.get(kind, 'The endpoint reports an error')} (inside an HTTP {status} reply)"
    return _with_wait(what + _quoted(complaint, body), kind, status, headers, body, now), complaint


def filter_categories(body: Any) -> list[str]:
    """The categories a content filter names (Azure's ``content_filter_result``), sorted."""
    found: set[str] = set()
    stack: list[Any] = [body]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(item, dict) and item.get("filtered") is True:
                    found.add(str(key))
                stack.append(item)
    return sorted(found)


def kept(body: Any) -> dict[str, Any] | str:
    """What is stored of an error reply: JSON objects whole, other text up to 64 KiB."""
    return body if isinstance(body, dict) else str(body)[:KEPT_LENGTH]


def quote(text: str) -> str:
    """The endpoint's words on one line, cut to a readable length."""
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else "\ufffd" for c in line)
    return line if len(line) <= QUOTED_LENGTH else line[:QUOTED_LENGTH] + "…"


def _with_wait(
    what: str, kind: ErrorKind, status: int, headers: Mapping[str, str], body: Any, now: float
) -> ModelError:
    wait = parse_retry_after(headers, now)
    return ModelError(
        what,
        kind=kind,
        status=status,
        retry_after=wait,
        retry_at=None if wait is None else datetime.fromtimestamp(now + wait, UTC),
        raw_reply=kept(body),
    )


def _quoted(complaint: Complaint, body: Any) -> str:
    categories = filter_categories(body)
    named = quote(f", category {', '.join(categories)}") if categories else ""
    text = quote(complaint.message)
    if not text:
        return f"{named}."
    if text.startswith("<"):
        return f"{named} with a web page instead of JSON."
    return f"{named}: {text}" + ("" if text[-1] in ".!?…" else ".")


def _host(location: str) -> str:
    try:
        return quote(urlsplit(location).hostname or "another path")
    except ValueError:
        return "an unreadable address"


def _text(value: Any) -> str:
    return str(value)[:READ_LENGTH] if isinstance(value, (str, int)) else ""
