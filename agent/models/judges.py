"""Judges: the models (and the baseline) that answer the tasks."""

from __future__ import annotations

from django.core.validators import URLValidator
from django.db import models


class Judge(models.Model):
    """A named endpoint with its model and parameters, or the built-in ``rules`` baseline.

    The API key is never stored: ``api_key_env`` names the environment variable that holds it
    (empty when the endpoint needs none). ``params`` are sent with every request as they stand.
    ``is_anchored`` marks a judge whose own extractions the annotators started from; its
    agreement with them is flattered and pages say so.
    """

    class Kind(models.TextChoices):
        RULES = "rules", "Rules (baseline, no language model)"
        OPENAI = "openai", "OpenAI-compatible endpoint"

    name = models.SlugField(max_length=80, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    base_url = models.CharField(
        max_length=500, blank=True, validators=[URLValidator(schemes=["http", "https"])]
    )
    model = models.CharField(max_length=200, blank=True)
    api_key_env = models.CharField(max_length=120, blank=True)
    params = models.JSONField(default=dict, blank=True)
    timeout_seconds = models.PositiveIntegerField(default=120)
    concurrency = models.PositiveSmallIntegerField(default=4)
    is_anchored = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="rules", base_url="")
                | (models.Q(kind="openai") & ~models.Q(base_url="") & ~models.Q(model="")),
                name="judge_has_its_endpoint",
            ),
            models.CheckConstraint(
                condition=models.Q(concurrency__gte=1, concurrency__lte=256),
                name="judge_concurrency_1_256",
            ),
            models.CheckConstraint(
                condition=models.Q(timeout_seconds__gte=1), name="judge_timeout_positive"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_baseline(self) -> bool:
        """No language model: a floor to compare with, labelled so everywhere."""
        return self.kind == self.Kind.RULES
