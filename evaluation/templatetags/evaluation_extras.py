"""Formatting filters; none of them queries."""

from __future__ import annotations

import json
from typing import Any

from django import template

from evaluation.agreement.result import Reason

register = template.Library()


@register.filter
def pretty_json(value: Any) -> str:
    """A JSON value as indented text (escaped by the template like any other text)."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False)


@register.filter
def figure(value: float | None) -> str:
    """A figure of agreement with three decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.3f}"


@register.filter
def concat(text: Any, more: Any) -> str:
    """Both as one text (Django's ``add`` sums numbers)."""
    return f"{text}{more}"


@register.filter
def reason(code: str) -> str:
    """Why something is undefined, as a sentence; a code of another version stays as it is."""
    return Reason(code).sentence if code in set(Reason) else code
