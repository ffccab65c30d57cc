"""Meta-evaluations: saved figures of agreement, with what they were computed from."""

from __future__ import annotations

from django.db import models


class MetaEvaluation(models.Model):
    """One computation of agreement figures.

    ``rows`` are the figures, each with its own ``undefined_reason`` where there is no value;
    ``inputs`` names the runs, answers and policy; ``versions`` the code and libraries.
    """

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="meta_evaluations"
    )
    inputs = models.JSONField()
    seed = models.PositiveBigIntegerField()
    draws = models.PositiveIntegerField()
    rows = models.JSONField()
    versions = models.JSONField()
    created_by = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.study}, {self.created_at:%Y-%m-%d %H:%M}"
