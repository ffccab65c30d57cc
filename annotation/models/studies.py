"""Studies: one checklist template, its cases, its people, its guidelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from annotation.models.people import User


class StudyQuerySet(models.QuerySet["Study"]):
    def visible_to(self, user: User) -> StudyQuerySet:
        """The studies ``user`` is a member of; all of them for a site admin."""
        if user.is_site_admin:
            return self
        return self.filter(memberships__user=user)


class Study(models.Model):
    """A body of annotation work with one checklist template version.

    ``seed`` is the root of every random draw in the study (order of A and B, assignments), so
    that each can be repeated. ``is_synthetic`` marks invented data; pages and exports say so.
    """

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    template = models.ForeignKey(
        "annotation.ChecklistVersion", on_delete=models.PROTECT, related_name="studies"
    )
    seed = models.PositiveBigIntegerField(default=0)
    time_zone = models.CharField(max_length=64, default="UTC")
    is_synthetic = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = StudyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.slug


class Guideline(models.Model):
    """One version of the written instructions (Markdown). The newest version is in force."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="guideline_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.study} guidelines v{self.version}"
