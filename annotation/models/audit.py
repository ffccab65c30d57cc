"""Who did what to the study: rows that are only ever added."""

from __future__ import annotations

from django.db import models


class AuditEntry(models.Model):
    """One act of administration. ``actor`` is empty for commands run from a shell."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    study = models.ForeignKey(
        "annotation.Study",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="audit_entries",
    )
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
