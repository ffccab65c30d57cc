"""System checks: the built-in templates load."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, register

from annotation.errors import DomainError


@register()
def builtin_templates_load(**_: Any) -> list[CheckMessage]:
    """Every shipped checklist template can be read."""
    from annotation.checklists.loader import builtin_templates

    try:
        builtin_templates()
    except DomainError as error:
        return [Error(error.message, id="annotation.E001")]
    return []
