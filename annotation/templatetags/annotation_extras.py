"""Formatting filters; none of them queries."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

register = template.Library()

# Raw HTML stays text, images would load from elsewhere, and only safe link schemes become links
# (markdown-it refuses javascript:, vbscript:, file: and data:).
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


@register.filter
def markdown(text: str) -> SafeString:
    """Guidelines as HTML, their headings one level down: the page has its own title.

    The source is treated as hostile: it can make no element of its own.
    """
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return mark_safe(html)  # noqa: S308  rendered with html off


@register.filter
def words(code: str) -> str:
    """A stored name with blanks instead of underscores."""
    return code.replace("_", " ")


@register.filter
def grouped(number: int) -> str:
    """A whole number with its thousands set off: 11,622."""
    return f"{number:,}"


@register.filter
def pretty_json(value: Any) -> str:
    """A JSON value as indented text (escaped by the template like any other text)."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False)
