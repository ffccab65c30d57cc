"""Task sets and their tasks: what annotators and judges are asked."""

from __future__ import annotations

from django.db import models


class TaskSet(models.Model):
    """Tasks of one kind, answered and closed together.

    ``overlap`` people answer each task. ``options`` is
    ``annotation.kinds.options.TaskSetOptions`` as JSON. Own answers stay editable until
    ``closed_at``.
    """

    class Kind(models.TextChoices):
        EXTRACTION = "extraction", "Checklist extraction"
        COMPARISON = "comparison", "Checklist comparison"
        RESIDUAL = "residual", "Residual facts"
        STYLE = "style", "Writing style"

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="task_sets"
    )
    key = models.SlugField(max_length=80)
    title = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=Kind)
    overlap = models.PositiveSmallIntegerField(default=3)
    options = models.JSONField(default=dict, blank=True)
    source = models.JSONField(default=dict, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="task_set_once_a_study"),
            models.CheckConstraint(
                condition=models.Q(overlap__gte=1), name="task_set_overlap_positive"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


class Task(models.Model):
    """One question. ``content`` is the ``Content`` of its kind in ``annotation.kinds``.

    ``form`` repeats ``content["form"]`` of comparison tasks so that it can be filtered.
    """

    task_set = models.ForeignKey(TaskSet, on_delete=models.PROTECT, related_name="tasks")
    key = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    case = models.ForeignKey("annotation.Case", on_delete=models.PROTECT, related_name="tasks")
    summary = models.ForeignKey(
        "annotation.Summary", null=True, blank=True, on_delete=models.PROTECT, related_name="tasks"
    )
    item_key = models.SlugField(max_length=80, blank=True)
    form = models.CharField(max_length=10, blank=True)
    content = models.JSONField()
    content_hash = models.CharField(max_length=64)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task_set", "key"], name="task_once_a_set"),
            models.UniqueConstraint(fields=["task_set", "position"], name="task_position_once"),
        ]

    def __str__(self) -> str:
        return self.key
