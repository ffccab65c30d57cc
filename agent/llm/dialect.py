"""A request as the JSON body that this endpoint accepts. PURE.

OpenAI-compatible endpoints differ in what they refuse. We send exactly what the caller asked for;
when a 400 names a parameter, ``adapt`` gives the next thing to try, and what worked is remembered
by the client. Every departure from the request is noted (``client.py`` lists the notes), so that
nobody believes a temperature was 0 when it was not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from agent.llm.client import ChatRequest, Message
from agent.llm.hostile_text import clean_text


class SchemaMode(StrEnum):
    """The rungs of the ladder, from the strictest."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


NEXT_RUNG = {
    SchemaMode.JSON_SCHEMA: SchemaMode.JSON_OBJECT,
    SchemaMode.JSON_OBJECT: SchemaMode.NONE,
}


@dataclass(frozen=True)
class Dialect:
    """What an endpoint has shown to accept. Start with the default; store it to skip re-learning.

    limit_field: ``max_tokens`` or its newer name ``max_completion_tokens``.
    """

    limit_field: str = "max_tokens"
    temperature: bool = True
    seed: bool = True
    schema: SchemaMode = SchemaMode.JSON_SCHEMA


@dataclass(frozen=True)
class Complaint:
    """What an endpoint says is wrong; empty strings where it says nothing."""

    message: str = ""
    code: str = ""
    type: str = ""
    param: str = ""
    status: int | None = None


def build_body(
    request: ChatRequest, model: str, dialect: Dialect, *, merge_roles: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The JSON body of ``request`` and the notes on what differs from it.

    merge_roles: join neighbouring messages of one role, for servers whose chat template insists
    on alternating roles.
    """
    repairs: Counter[str] = Counter()
    notes: list[str] = []
    messages = _messages(request.messages, repairs)
    if merge_roles and len(merged := _merged(messages)) < len(messages):
        messages = merged
        notes.append("roles_merged")
    body: dict[str, Any] = {"model": model, "messages": messages}
    if request.max_output_tokens is not None:
        body[dialect.limit_field] = request.max_output_tokens
        if dialect.limit_field != "max_tokens":
            notes.append(f"limit: {dialect.limit_field}")
    if request.temperature is not None:
        if dialect.temperature:
            body["temperature"] = request.temperature
        else:
            notes.append("temperature: provider default")
    if request.seed is not None:
        if dialect.seed:
            body["seed"] = request.seed
        else:
            notes.append("seed: not supported")
    if request.json_schema is not None:
        body |= _response_format(request, dialect.schema)
        if dialect.schema is not SchemaMode.JSON_SCHEMA:
            notes.append(f"schema: {dialect.schema}")
    body |= request.params
    notes += [f"request_{name}: {count}" for name, count in sorted(repairs.items())]
    return body, tuple(notes)


def adapt(dialect: Dialect, complaint: Complaint, body: dict[str, Any]) -> Dialect | None:
    """The dialect to try after ``complaint`` about ``body``; None when nothing is left to change.

    Every step gives something up for good, so a chain of steps ends.
    """
    if "max_tokens" in body and _names(complaint, "max_tokens"):
        return replace(dialect, limit_field="max_completion_tokens")
    if "temperature" in body and _names(complaint, "temperature"):
        return replace(dialect, temperature=False)
    if "seed" in body and _names(complaint, "seed"):
        return replace(dialect, seed=False)
    if "response_format" in body and _names(
        complaint, "response_format", "response format", "json_schema", "json schema",
        "json_object", "structured output", "grammar", "schema",
    ):  # fmt: skip
        return replace(dialect, schema=NEXT_RUNG[dialect.schema])
    return None


def _messages(messages: Sequence[Message], repairs: Counter[str]) -> list[dict[str, str]]:
    return [
        {"role": message.role, "content": clean_text(message.content, repairs)}
        for message in messages
    ]


def _merged(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    merged: list[dict[str, str]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            content = f"{merged[-1]['content']}\n\n{message['content']}"
            merged[-1] = {"role": message["role"], "content": content}
        else:
            merged.append(message)
    return merged


def _response_format(request: ChatRequest, mode: SchemaMode) -> dict[str, Any]:
    if mode is SchemaMode.NONE:
        return {}
    if mode is SchemaMode.JSON_OBJECT:
        return {"response_format": {"type": "json_object"}}
    schema = {"name": request.schema_name, "schema": request.json_schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _names(complaint: Complaint, *names: str) -> bool:
    """Whether the complaint is about one of ``names``: by its param, else by its message."""
    if complaint.param:
        return any(name in complaint.param for name in names)
    # Some servers echo the request after their message; only the beginning is theirs.
    head = complaint.message[:500].lower()
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head) for name in names)
