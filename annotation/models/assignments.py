"""Assignments: one task for one annotator, with the drawn order and the working draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from annotation.models.people import User


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, user: User) -> AssignmentQuerySet:
        """The assignments of ``user``: nobody sees another's."""
        return self.filter(annotator=user)

    def open(self) -> AssignmentQuerySet:
        """Not yet submitted or skipped."""
        return self.filter(status__in=Assignment.OPEN)

    def in_order(self) -> AssignmentQuerySet:
        return self.order_by("position", "pk")


class Assignment(models.Model):
    """One task for one annotator in one round.

    ``first_side`` is the side shown as A. ``draft`` is the autosaved working copy, a flat
    mapping; ``version`` grows by one with every change of it and is what a page names when it
    writes, so that a stale tab is refused. ``current`` is the answer that counts: the newest
    submitted version, untouched by later drafts.
    """

    class Status(models.TextChoices):
        NEW = "new", "New"
        IN_PROGRESS = "in_progress", "In progress"
        SUBMITTED = "submitted", "Submitted"
        SKIPPED = "skipped", "Skipped"

    OPEN = (Status.NEW, Status.IN_PROGRESS)

    task = models.ForeignKey(
        "annotation.Task", on_delete=models.PROTECT, related_name="assignments"
    )
    annotator = models.ForeignKey(
        "annotation.User", on_delete=models.PROTECT, related_name="assignments"
    )
    round = models.PositiveSmallIntegerField(default=1)
    position = models.PositiveIntegerField()
    first_side = models.CharField(
        max_length=10, choices=[("model", "Model"), ("reference", "Reference")]
    )
    status = models.CharField(max_length=12, choices=Status, default=Status.NEW)
    draft = models.JSONField(default=dict, blank=True)
    version = models.PositiveIntegerField(default=0)
    submitted_version = models.PositiveIntegerField(null=True, blank=True)
    current = models.OneToOneField(
        "annotation.Answer", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "annotator", "round"], name="assignment_once_a_round"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["new", "in_progress", "submitted", "skipped"]),
                name="assignment_status_known",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["new", "in_progress"])
                | models.Q(current__isnull=False),
                name="assignment_done_has_answer",
            ),
            models.CheckConstraint(
                condition=models.Q(first_side__in=["model", "reference"]),
                name="assignment_first_side_known",
            ),
        ]
        indexes = [
            models.Index(fields=["annotator", "status", "position"], name="assignment_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.task} for {self.annotator}"

    @property
    def is_done(self) -> bool:
        return self.status in (self.Status.SUBMITTED, self.Status.SKIPPED)

    @property
    def has_unsent_changes(self) -> bool:
        """The draft was changed after the last submit."""
        return self.submitted_version is not None and self.version != self.submitted_version


class Visit(models.Model):
    """One stay of an annotator at a task.

    ``active_seconds`` leaves out idle gaps and hidden tabs; the page reports the running total,
    so that a report that arrives twice or late never counts twice.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="visits")
    token = models.UUIDField()
    started_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    active_seconds = models.FloatField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "token"], name="visit_once"),
            models.CheckConstraint(
                condition=models.Q(active_seconds__gte=0), name="visit_active_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment} at {self.started_at:%Y-%m-%d %H:%M}"
