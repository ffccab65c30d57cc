"""Tokens of the API: only their digests are stored."""

from __future__ import annotations

from django.db import models


class ApiToken(models.Model):
    """What a program shows instead of a password, made by its owner.

    ``digest`` is the SHA-256 of the token, whose 256 random bits need no salt; the token itself is
    shown once and kept nowhere. ``prefix`` is its beginning, so that its owner can tell which one
    it was. A revoked token stays, as a trace; each person has one that is not revoked at most.
    """

    user = models.ForeignKey("annotation.User", on_delete=models.PROTECT, related_name="api_tokens")
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=12)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(revoked_at__isnull=True),
                name="api_token_one_in_force",
            )
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.user}"
