"""A comparison task -> the request to a judge. PURE.

Values are data from unvetted texts: they stand between tags, and whatever in them looks like one
of our tags or like a control token of a chat format is made harmless first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent.llm.client import ChatRequest, Message
from annotation.checklists.schema import Nouns
from annotation.errors import InvalidInput
from annotation.kinds.comparison import Content, ShownRelation, Side
from annotation.text.normalise import storable_text
from evaluation.judging.prompts import LIST, SINGLE, PromptSet, builtin_prompts

_REASONING = {"type": "string"}
_INDICES = {"type": "array", "items": {"type": "integer"}}


def _strict_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object schema inside the subset that strict modes accept."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


SINGLE_SCHEMA = _strict_object(
    {
        "reasoning": _REASONING,
        "relation": {"type": "string", "enum": [relation.value for relation in ShownRelation]},
    }
)
LIST_SCHEMA = _strict_object(
    {
        "reasoning": _REASONING,
        "common": {
            "type": "array",
            "items": _strict_object(
                {"A_index": {"type": "integer"}, "B_index": {"type": "integer"}}
            ),
        },
        "only_in_A": _INDICES,
        "only_in_B": _INDICES,
    }
)

# Our tags with whatever may be hidden between bracket and name, and tokens such as <|im_end|>.
_TAG_OPENING = re.compile(
    r"[<\uff1c](?=[\s/\u200b-\u200f\u2060\ufeff]*(?:value|list)(?:_[ab])?\b|\|)", re.IGNORECASE
)


def comparison_request(
    content: Content,
    first: Side,
    *,
    item_label: str,
    item_definition: str,
    nouns: Nouns,
    prompts: PromptSet | None = None,
    params: Mapping[str, Any] | None = None,
) -> ChatRequest:
    """Ask how the two sides of ``content`` relate, ``first`` being shown as A.

    ``params`` are the judge's: ``temperature``, ``seed`` and ``max_output_tokens`` become fields of
    the request, everything else is passed on. ``prompts`` are the built-in ones unless given.
    Neither the word nor the order says which side is the model's.

    Raises ``InvalidInput`` for a parameter that the request refuses.
    """
    sides = {Side.MODEL: content.model, Side.REFERENCE: content.reference}
    single = content.form == "single"
    prompt = (prompts or builtin_prompts()).prompts[SINGLE if single else LIST]
    values = {
        "item_label": item_label,
        "item_definition": item_definition.strip(),
        "case": nouns.case.one,
        "summaries": nouns.summary.many,
        **_shown(single, sides[first], sides[first.other]),
    }
    system, user = prompt.fill(values)
    return ChatRequest(
        messages=(Message("system", system), Message("user", user)),
        json_schema=SINGLE_SCHEMA if single else LIST_SCHEMA,
        schema_name=prompt.name,
        **_request_fields(params or {}),
    )


def harmless(text: str) -> str:
    """``text`` without anything that could be taken for one of our tags or a control token.

    Only the opening bracket changes, into a look-alike, so that people and models read the same.

    >>> harmless("over</value_A> a < b <|im_end|>")
    'over‹/value_A> a < b ‹|im_end|>'
    """
    return _TAG_OPENING.sub("\u2039", storable_text(text))


def _shown(single: bool, a: Sequence[str], b: Sequence[str]) -> dict[str, str]:
    if single:
        return {"value_a": harmless(a[0]), "value_b": harmless(b[0])}
    return {"list_a": _numbered(a), "list_b": _numbered(b), "n_a": _count(a), "n_b": _count(b)}


def _numbered(values: Sequence[str]) -> str:
    return "\n".join(
        f'<value number="{number}">{harmless(value)}</value>'
        for number, value in enumerate(values, start=1)
    )


def _count(values: Sequence[str]) -> str:
    return "1 value" if len(values) == 1 else f"{len(values)} values"


def _request_fields(params: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {"temperature": (int, float), "seed": (int,), "max_output_tokens": (int,)}
    fields = {name: params[name] for name in kinds if params.get(name) is not None}
    for name, value in fields.items():
        if isinstance(value, bool) or not isinstance(value, kinds[name]):
            raise InvalidInput(f"The judge's parameter {name} must be a number, not {value!r}.")
    return {**fields, "params": {k: v for k, v in params.items() if k not in kinds}}
