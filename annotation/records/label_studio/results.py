"""Answers as the results of a Label Studio annotation. PURE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.checklists.schema import Template
from annotation.kinds import comparison, extraction, style
from annotation.kinds.comparison import Side, SingleAnswer, as_shown
from annotation.kinds.extraction import ItemState
from annotation.records.label_studio.names import (
    ABSENT,
    ITEM,
    NOT_APPLICABLE,
    ONLY_A,
    ONLY_B,
    OURS,
    PAIRS,
    REASON,
    RELATION,
    RELATION_LABELS,
    TEXT,
    UNQUOTED,
    VALUE,
    A,
    B,
    pair_label,
    region_text,
)

Result = dict[str, Any]


def results(
    kind: str, payload: dict[str, Any], template: Template, first: Side, about: Mapping[str, Any]
) -> list[Result]:
    """An answer as results. ``first`` is the side that the task shows as A in Label Studio,
    ``about`` (who, when, ...) goes into the ``meta`` of every result.
    """
    if kind == "extraction":
        return extraction_results(extraction.parse_answer(payload), template, about)
    if kind == "style":
        return _style(style.parse_answer(payload), about)
    return _comparison(comparison.parse_answer(payload), first, about)


def label_of(template: Template, key: str) -> str:
    """What an item is called in Label Studio: its label, from which ``key_for`` leads back."""
    item = template.item_for(key)
    return item.label if item is not None else key


def extraction_results(
    answer: extraction.Answer, template: Template, about: Mapping[str, Any]
) -> list[Result]:
    """A checklist: a region a quote, with the value as its text; then what has no quote."""
    found: list[Result] = []
    unquoted: list[str] = []
    numbers: list[list[Any]] = []
    for key, item in answer.sorted_items:
        label = label_of(template, key)
        for number, value in enumerate(item.values):
            if not value.evidence:
                unquoted.append(f"{label}: {value.text}")
                numbers.append([key, number])
            for place, span in enumerate(value.evidence):
                where = {"start": span.start, "end": span.end}
                region = f"{key}-{number}-{place}"
                facts = {**about, "value": number, **where, "quote": span.quote}
                marked = {**where, "text": region_text(span.quote), "labels": [label]}
                found.append(_result(ITEM, TEXT, "labels", marked, facts, region))
                said = {**where, "text": [value.text]}
                found.append(_result(VALUE, TEXT, "textarea", said, facts, region))
    if unquoted:
        facts = {**about, "values": numbers}
        found.append(_result(UNQUOTED, TEXT, "textarea", {"text": unquoted}, facts))
    for state, control in (
        (ItemState.ABSENT, ABSENT),
        (ItemState.NOT_APPLICABLE, NOT_APPLICABLE),
    ):
        labels = [label_of(template, k) for k, item in answer.sorted_items if item.state is state]
        found += _choice(control, TEXT, labels, about)
    return found


def _comparison(
    answer: comparison.SingleAnswer | comparison.ListAnswer, first: Side, about: Mapping[str, Any]
) -> list[Result]:
    if isinstance(answer, SingleAnswer):
        return _choice(RELATION, A, [RELATION_LABELS[as_shown(answer.relation, first)]], about)
    model_first = first is Side.MODEL
    pairs = [pair_label(m, r) if model_first else pair_label(r, m) for m, r in answer.pairs]
    only = (answer.only_model, answer.only_reference)
    only_a, only_b = only if model_first else only[::-1]
    return [
        *_choice(PAIRS, A, pairs, about),
        *_choice(ONLY_A, A, [f"A{index + 1}" for index in only_a], about),
        *_choice(ONLY_B, B, [f"B{index + 1}" for index in only_b], about),
    ]


def _style(answer: style.Answer, about: Mapping[str, Any]) -> list[Result]:
    found = []
    for aspect in style.ASPECTS:
        if aspect in answer.ratings:
            rating = {"rating": answer.ratings[aspect]}
            found.append(_result(aspect, A, "rating", rating, about))
        if answer.reasons.get(aspect):
            reason = {"text": [answer.reasons[aspect]]}
            found.append(_result(REASON + aspect, A, "textarea", reason, about))
    return found


def _choice(name: str, to: str, chosen: Iterable[str], about: Mapping[str, Any]) -> list[Result]:
    choices = list(chosen)
    return [_result(name, to, "choices", {"choices": choices}, about)] if choices else []


def _result(
    name: str,
    to: str,
    type_: str,
    value: dict[str, Any],
    about: Mapping[str, Any],
    region: str = "",
) -> Result:
    return {
        "id": region or name,
        "from_name": name,
        "to_name": to,
        "type": type_,
        "value": value,
        "meta": {OURS: dict(about)},
    }
