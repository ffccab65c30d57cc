"""Formatting filters; none of them queries."""

from __future__ import annotations

from typing import Any

from django import template

from annotation.templatetags.annotation_extras import pretty_json
from evaluation.agreement.result import Reason

register = template.Library()
register.filter("pretty_json", pretty_json)


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
