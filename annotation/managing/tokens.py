"""A person's API token: make, revoke, recognise."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation import audit
from annotation.models import ApiToken, User

PREFIX = 12
# A token in steady use is noted down once in this while, not with every request.
NOTED_EVERY = timedelta(minutes=5)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def token_of(user: User) -> ApiToken | None:
    """The token of ``user`` that is in force."""
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True).first()


def make_token(user: User) -> tuple[ApiToken, str]:
    """A new token of ``user`` and its text, which nobody can see again; an old one is revoked."""
    text = f"gavel_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        _revoke(user)
        row = ApiToken.objects.create(user=user, digest=_digest(text), prefix=text[:PREFIX])
        audit.log("token.made", actor=user, target=user, detail={"prefix": row.prefix})
    return row, text


def revoke_token(user: User) -> bool:
    """Refuse the token of ``user`` from now on; False when there was none."""
    with transaction.atomic():
        revoked = _revoke(user)
        if revoked:
            audit.log("token.revoked", actor=user, target=user)
    return revoked


def _revoke(user: User) -> bool:
    in_force = ApiToken.objects.filter(user=user, revoked_at__isnull=True)
    return in_force.update(revoked_at=timezone.now()) > 0


def user_by_token(text: str) -> User | None:
    """Whose token ``text`` is; None when it is unknown, revoked, or its owner is deactivated."""
    row = (
        ApiToken.objects.filter(digest=_digest(text), revoked_at__isnull=True, user__is_active=True)
        .select_related("user")
        .first()
    )
    if row is None:
        return None
    now = timezone.now()
    if row.last_used_at is None or now - row.last_used_at > NOTED_EVERY:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - NOTED_EVERY)
        ApiToken.objects.filter(stale, pk=row.pk).update(last_used_at=now)
    return row.user
