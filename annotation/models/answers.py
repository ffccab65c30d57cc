"""Answers and events. Both are append-only: the database refuses to change a row."""

from __future__ import annotations

from django.db import models


class Answer(models.Model):
    """One submitted (or skipped) version of an annotator's answer.

    ``payload`` is the ``Answer`` of its kind in ``annotation.kinds``, said of model and
    reference, never of A and B; it is empty when the task was skipped. ``first_side`` is the
    order in which the annotator saw it.
    """

    class Outcome(models.TextChoices):
        SUBMITTED = "submitted", "Submitted"
        SKIPPED = "skipped", "Skipped"

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="answers"
    )
    version = models.PositiveIntegerField()
    op_id = models.UUIDField(unique=True)
    outcome = models.CharField(max_length=10, choices=Outcome)
    payload = models.JSONField(null=True, blank=True)
    first_side = models.CharField(max_length=10)
    comment = models.TextField(blank=True)
    flagged = models.BooleanField(default=False)
    skip_reason = models.TextField(blank=True)
    active_seconds = models.FloatField(default=0)
    wall_seconds = models.FloatField(default=0)
    guideline = models.ForeignKey(
        "annotation.Guideline", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    template = models.ForeignKey(
        "annotation.ChecklistVersion", on_delete=models.PROTECT, related_name="+"
    )
    submitted_at = models.DateTimeField()
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "version"], name="answer_version_once"),
            models.CheckConstraint(
                condition=models.Q(outcome="submitted", payload__isnull=False)
                | models.Q(outcome="skipped", payload__isnull=True),
                name="answer_payload_unless_skipped",
            ),
            models.CheckConstraint(
                condition=models.Q(active_seconds__gte=0, wall_seconds__gte=0),
                name="answer_seconds_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment} v{self.version}"


class Event(models.Model):
    """One act of an annotator on a draft: who, when, what, old, new.

    ``before`` and ``after`` hold only the draft keys that changed (a key that was absent is
    absent there). ``op_id`` is made by the page: the same act sent twice is stored once.
    """

    assignment = models.ForeignKey(
        "annotation.Assignment", on_delete=models.PROTECT, related_name="events"
    )
    op_id = models.UUIDField()
    version = models.PositiveIntegerField(help_text="Version of the draft after this act.")
    action = models.CharField(max_length=40)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    actor = models.ForeignKey("annotation.User", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "op_id"], name="event_once_an_act"),
            models.UniqueConstraint(fields=["assignment", "version"], name="event_once_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.action} v{self.version}"
