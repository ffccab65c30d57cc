"""The only writer of audit rows."""

from __future__ import annotations

from typing import Any

from annotation.models import AuditEntry, Study, User


def log(
    action: str,
    *,
    actor: User | None,
    study: Study | None = None,
    target: object = "",
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Record that ``actor`` (None: a command) did ``action``, inside the caller's transaction.

    ``action`` is dotted and in the past: ``tasks.assigned``. ``detail`` holds plain JSON, never a
    secret.
    """
    return AuditEntry.objects.create(
        actor=actor,
        study=study,
        action=action,
        target=str(target)[:200],
        detail=detail or {},
    )
