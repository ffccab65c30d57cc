"""What a judge said when it compared two checklists item by item."""

from __future__ import annotations

from django.db import models


class ChecklistComparison(models.Model):
    """One judge comparing the checklist of a model with the reference's, for one case.

    ``comparer`` is the model that compared. ``model_name`` is the model whose work is compared:
    the one that wrote the summary, or that read the documents. ``extractor`` is the model that
    took the values out of the summary (the same as ``model_name`` for documents); ``method`` tells
    the ways of reading documents apart and is empty for summaries. The checklists are linked where
    the study has them; a file of comparisons may come without.
    """

    case = models.ForeignKey(
        "annotation.Case", on_delete=models.PROTECT, related_name="checklist_comparisons"
    )
    comparer = models.CharField(max_length=200)
    model_name = models.CharField(max_length=200)
    extractor = models.CharField(max_length=200)
    method = models.CharField(max_length=120, blank=True)
    model_checklist = models.ForeignKey(
        "annotation.Checklist",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    reference_checklist = models.ForeignKey(
        "annotation.Checklist",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    source_file = models.CharField(max_length=500, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "comparer", "model_name", "extractor", "method"],
                name="checklist_comparison_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.model_name} compared by {self.comparer}"


class ItemVerdict(models.Model):
    """What the judge said of one item.

    ``payload`` has the shape of an annotator's answer to a comparison (in terms of model and
    reference, 0-based); it is empty when the verdict cannot be oriented or could not be read.
    ``shown`` is the same reading in terms of A and B where the source speaks of those, ``raw`` the
    cell exactly as it came. ``repairs`` counts, by kind, what had to be mended. ``n_model`` and
    ``n_reference`` are the lengths of the two lists, empty where nobody knows.
    """

    class Orientation(models.TextChoices):
        KNOWN = "known", "Said of model and reference"
        NOT_NEEDED = "not_needed", "The same either way"
        RECOVERED = "recovered", "Recovered from the lengths of the lists"
        UNKNOWN = "unknown", "Which side is the model is not known"

    class Status(models.TextChoices):
        READ = "read", "Read"
        NOT_SCORED = "not_scored", "Not scored"

    comparison = models.ForeignKey(
        ChecklistComparison, on_delete=models.CASCADE, related_name="verdicts"
    )
    item_key = models.SlugField(max_length=80)
    form = models.CharField(max_length=10, blank=True)
    orientation = models.CharField(max_length=12, choices=Orientation)
    first_side = models.CharField(max_length=10, blank=True)
    status = models.CharField(max_length=10, choices=Status)
    reason = models.TextField(blank=True)
    payload = models.JSONField(null=True, blank=True)
    shown = models.JSONField(null=True, blank=True)
    raw = models.JSONField()
    repairs = models.JSONField(default=dict, blank=True)
    n_model = models.PositiveIntegerField(null=True, blank=True)
    n_reference = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "item_key"], name="item_verdict_once"),
            models.CheckConstraint(
                condition=models.Q(payload__isnull=True)
                | (models.Q(status="read") & ~models.Q(orientation="unknown")),
                name="item_verdict_only_oriented_is_scored",
            ),
            models.CheckConstraint(
                condition=models.Q(first_side__in=["", "model", "reference"]),
                name="item_verdict_first_side_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.comparison}: {self.item_key}"
