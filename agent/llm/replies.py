"""The body of a chat reply -> text, reasoning, tool calls, usage; or why there is none. PURE.

The order of the checks is the point: an answer to half a prompt, a cut-off answer and a refusal
are recognised before anything looks at the content, so none of them is ever parsed as a verdict.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from agent.llm.client import ChatRequest, ToolCall, Usage
from agent.llm.errors import ErrorKind, ModelError
from agent.llm.failures import filter_categories, quote

CUT_OFF = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist"})
LARGEST_COUNT = 10**9
THINK_OPEN = re.compile(r"\s*<think(?:ing)?>")
THINK_CLOSE = re.compile(r"</think(?:ing)?>")
JSON_STARTS = 64
JSON_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}


@dataclass(frozen=True)
class Answer:
    """What the model said. ``notes`` as listed in ``client.py``."""

    text: str
    reasoning: str
    finish_reason: str | None
    tool_calls: tuple[ToolCall, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ReportedUsage:
    """Token counts as the endpoint reports them; None where missing or impossible."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None


def read_usage(body: dict[str, Any]) -> ReportedUsage:
    """The counts of ``body["usage"]``. A prompt of 0 tokens cannot be and counts as missing."""
    usage = _dict(body.get("usage"))
    prompt_details = _dict(usage.get("prompt_tokens_details"))
    completion_details = _dict(usage.get("completion_tokens_details"))
    return ReportedUsage(
        prompt=_count(usage.get("prompt_tokens")) or None,
        cached=_count(prompt_details.get("cached_tokens")),
        completion=_count(usage.get("completion_tokens")),
        reasoning=_count(completion_details.get("reasoning_tokens")),
    )


SMALLEST_CONTEXT = 256


def check_prompt(reported: ReportedUsage, expected: int, *, share: float, slack: int) -> None:
    """Raise ``prompt_truncated`` when the endpoint read far fewer tokens than were sent.

    Fewer than ``share`` (0..1) times ``expected`` minus ``slack`` tokens: other vocabularies differ
    by less, a silent cut by more. A missing count proves nothing and passes, and so does one below
    ``SMALLEST_CONTEXT``: no server cuts a prompt to so little, but some report a made-up number.
    Servers that count cached tokens apart (more cached than prompt) have both added.
    """
    if reported.prompt is None:
        return
    read = reported.prompt
    if reported.cached is not None and reported.cached > read:
        read += reported.cached
    if SMALLEST_CONTEXT <= read < share * expected - slack:
        raise ModelError(
            f"The endpoint read {read:,} prompt tokens of about {expected:,} that were sent:"
            " it silently cut the prompt.",
            kind=ErrorKind.PROMPT_TRUNCATED,
        )


def reported_error(body: dict[str, Any]) -> Any:
    """What a reply reports instead of an answer: its own error, or that of its first choice."""
    if body.get("error"):
        return body["error"]
    choices = body.get("choices")
    if isinstance(choices, list) and choices:
        return _dict(choices[0]).get("error")
    return None


def first_choice(body: dict[str, Any]) -> dict[str, Any]:
    """The first choice of a reply without ``error``; ``invalid_reply`` when there is none."""
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise ModelError(
        "The endpoint's reply is JSON without any choices.", kind=ErrorKind.INVALID_REPLY
    )


def read_answer(
    choice: dict[str, Any], request: ChatRequest, reported: ReportedUsage, *, schema_sent: bool
) -> Answer:
    """The answer of one choice.

    schema_sent: the body carried the request's schema, so the answer should follow it.
    Raises ``ModelError``: truncated, content_filter, refused, empty, empty_billed, invalid_reply.
    """
    message = _dict(choice.get("message"))
    notes: list[str] = []
    content, thought = _content(message.get("content"), notes)
    reasoning = thought or _reasoning(message)
    finish_reason = choice.get("finish_reason")
    finish_reason = finish_reason if isinstance(finish_reason, str) else None
    _check_finish(finish_reason, choice, content, reported)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        raise ModelError("The model refuses to answer.", kind=ErrorKind.REFUSED, text=refusal)
    if finish_reason is None:
        notes.append("finish_reason_missing")
    text, stripped = strip_thinking(content)
    if stripped is not None:
        notes.append("think_tags_stripped")
        reasoning = "\n".join(part for part in (reasoning, stripped) if part)
    calls = _tool_calls(message)
    if calls and "tools" in request.params:
        notes.append("tool_calls")
    elif not text.strip():
        text = _salvaged(message, reasoning, request, reported, calls)
        reasoning = ""
        notes.append("salvaged_from_reasoning")
    if schema_sent and not calls and not follows(text, request.json_schema or {}):
        notes.append("schema_not_enforced")
    return Answer(text, reasoning, finish_reason, calls, tuple(notes))


def _check_finish(
    finish_reason: str | None,
    choice: dict[str, Any],
    content: str,
    reported: ReportedUsage,
) -> None:
    reason = (finish_reason or "").lower()
    if reason in CUT_OFF:
        spent = f" after {reported.completion:,} tokens" if reported.completion else ""
        where = "" if content.strip() else ", all of them reasoning,"
        raise ModelError(
            f"The answer was cut off{spent}{where} by the limit of output tokens.",
            kind=ErrorKind.TRUNCATED,
            text=content,
        )
    if reason == "error":
        raise ModelError(
            "The provider failed while the model was answering.",
            kind=ErrorKind.ERROR_IN_BODY,
            text=content,
        )
    if reason in FILTERED:
        categories = quote(", ".join(filter_categories(choice))) or "not named"
        raise ModelError(
            f"The provider's content filter stopped the answer (category: {categories}).",
            kind=ErrorKind.CONTENT_FILTER,
            text=content,
        )


def _salvaged(
    message: dict[str, Any],
    reasoning: str,
    request: ChatRequest,
    reported: ReportedUsage,
    calls: tuple[ToolCall, ...],
) -> str:
    """The answer that stands in the reasoning although content is empty, or the error."""
    if calls:
        names = quote(", ".join(call.name for call in calls))
        raise ModelError(
            f"The model called a tool ({names}) though none was offered.",
            kind=ErrorKind.INVALID_REPLY,
        )
    looks_whole = reasoning.strip()[:1] in ("{", "[")
    if looks_whole and follows(reasoning, request.json_schema or {}):
        return reasoning.strip()
    if message.get("content") is None and not reasoning and (reported.completion or 0) > 0:
        raise ModelError(
            f"The endpoint charged {reported.completion:,} output tokens for no answer at all.",
            kind=ErrorKind.EMPTY_BILLED,
        )
    only = " (it only reasoned)" if reasoning.strip() else ""
    raise ModelError(f"The model's answer is empty{only}.", kind=ErrorKind.EMPTY, text=reasoning)


def strip_thinking(content: str) -> tuple[str, str | None]:
    """``(answer, thinking)``; thinking is None when there are no think tags to strip.

    Both ``<think>...</think>answer`` and the unopened ``...</think>answer`` are read. A tag that
    stands inside the answer's own JSON (quoted from a hostile document) is text, not a tag.
    An opened block that never closes is all thinking.
    """
    opening = THINK_OPEN.match(content)
    if opening:
        closing = THINK_CLOSE.search(content, opening.end())
        if closing is None:
            return "", content[opening.end() :].strip()
        return content[closing.end() :].strip(), content[opening.end() : closing.start()].strip()
    closing = THINK_CLOSE.search(content)
    if closing is None or _inside_json(content, closing.start()):
        return content, None
    return content[closing.end() :].strip(), content[: closing.start()].strip()


def _inside_json(content: str, position: int) -> bool:
    """Whether ``position`` lies within a complete JSON object or list of ``content``."""
    decoder = json.JSONDecoder()
    start = -1
    for _ in range(JSON_STARTS):
        found = [at for at in (content.find(c, start + 1, position) for c in "{[") if at >= 0]
        if not found:
            return False
        start = min(found)
        try:
            _, end = decoder.raw_decode(content, start)
        except (ValueError, RecursionError):
            continue
        if end > position:
            return True
    return False


def follows(text: str, schema: dict[str, Any]) -> bool:
    """Whether ``text`` is JSON of the schema's top-level type with the required keys.

    Not a validation (the caller's reader validates); enough to see that a schema was ignored.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    wanted = schema.get("type")
    types = wanted if isinstance(wanted, list) else [wanted]
    if wanted is not None and not any(_is_type(value, name) for name in types):
        return False
    required = schema.get("required")
    if isinstance(value, dict) and isinstance(required, list):
        return all(key in value for key in required if isinstance(key, str))
    return True


def _is_type(value: Any, name: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return bool(name == ("null" if value is None else "boolean"))
    return isinstance(name, str) and isinstance(value, JSON_TYPES.get(name, ()))


def usage_of(reported: ReportedUsage, *, prompt: int, completion: int, has_text: bool) -> Usage:
    """Reported counts, completed by our estimates (``prompt``, ``completion``) and marked so."""
    completion_reported = reported.completion is not None and (
        reported.completion > 0 or not has_text
    )
    complete = reported.prompt is not None and completion_reported
    return Usage(
        prompt=prompt if reported.prompt is None else reported.prompt,
        cached=reported.cached,
        completion=(reported.completion or 0) if completion_reported else completion,
        reasoning=reported.reasoning,
        source="endpoint" if complete else "estimated",
    )


def _content(content: Any, notes: list[str]) -> tuple[str, str]:
    """``(text, thinking)`` of a message's content, whatever its shape."""
    if content is None:
        return "", ""
    if isinstance(content, str):
        return content, ""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        notes.append("content_parts")
        texts = [part["text"] for part in content if isinstance(part.get("text"), str)]
        thoughts = [_content(part["thinking"], [])[0] for part in content if part.get("thinking")]
        return "".join(texts), "\n".join(thoughts)
    if isinstance(content, (dict, list)):
        notes.append("content_object")
        return json.dumps(content, ensure_ascii=False), ""
    raise ModelError(
        "The endpoint's reply has content that is neither text nor JSON.",
        kind=ErrorKind.INVALID_REPLY,
    )


def _reasoning(message: dict[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning"):
        value = message.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _tool_calls(message: dict[str, Any]) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    read = []
    for call in calls if isinstance(calls, list) else []:
        function = _dict(_dict(call).get("function"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
        read.append(
            ToolCall(
                id=str(_dict(call).get("id") or ""),
                name=str(function.get("name") or ""),
                arguments=arguments,
            )
        )
    return tuple(read)


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value == int(value) and 0 <= value <= LARGEST_COUNT else None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
