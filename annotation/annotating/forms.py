"""What a work page posts beside the act itself."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.core import signing

from annotation.annotating.services import Stay, Write
from annotation.annotating.work import Note
from annotation.errors import InvalidInput
from annotation.text.normalise import normalise_excerpt

_VISIT = "annotation.visit"
_NOT_THE_ACT = frozenset({"csrfmiddlewaretoken", "active_ms", "visit"})


class WriteForm(forms.Form):
    """Which write this is, and of which version."""

    op_id = forms.UUIDField()
    version = forms.IntegerField(min_value=0)


def visit_token(assignment_id: int, now: datetime) -> str:
    """A signed mark of a page that is shown ``now``; a page that is never used leaves no trace."""
    return signing.dumps([assignment_id, uuid.uuid4().hex, now.isoformat()], salt=_VISIT)


def read_stay(assignment_id: int, data: Mapping[str, Any]) -> Stay | None:
    """What a page says of the time spent there; None when its mark is not of this task.

    An act never fails for its time: a report that makes no sense is as good as none.
    """
    try:
        of, visit, started_at = signing.loads(data.get("visit", ""), salt=_VISIT)
    except signing.BadSignature:
        return None
    if of != assignment_id:
        return None
    return Stay(UUID(visit), datetime.fromisoformat(started_at), _seconds(data))


def _seconds(data: Mapping[str, Any]) -> float | None:
    try:
        seconds = float(data.get("active_ms", "")) / 1000
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def read_write(
    assignment_id: int, data: Mapping[str, Any], now: datetime, *, by_script: bool, path: str
) -> Write:
    """The write that a page posted to ``path``. Raises ``InvalidInput`` if it names none.

    A script makes an id for each write. A page without script has one id for whatever it may
    post, so there the id is joined with what was posted: the same post twice is one write,
    another post from the same page is another.
    """
    form = WriteForm(data)
    if not form.is_valid():
        raise InvalidInput("This page sent an incomplete request. Reload it and try again.")
    said = form.cleaned_data
    op_id: UUID = said["op_id"]
    if not by_script:
        posted = sorted((k, v) for k, v in data.items() if k not in _NOT_THE_ACT)
        op_id = uuid.uuid5(op_id, repr((path, posted)))
    return Write(
        op_id=op_id,
        version=said["version"],
        now=now,
        stay=read_stay(assignment_id, data),
    )


def read_note(data: Mapping[str, Any]) -> Note | None:
    """The comment and flag that a page posted, or None when it posted no such fields.

    Line ends become LF: forms send CRLF, scripts what was typed.
    """
    if "note" not in data:
        return None
    return Note(
        comment=normalise_excerpt(data.get("comment", "")),
        flagged="flagged" in data,
        flag_reason=normalise_excerpt(data.get("flag_reason", "")),
    )
