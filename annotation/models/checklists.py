"""Checklist template versions, and the checklists that people and models filled."""

from __future__ import annotations

from django.db import models


class ChecklistVersion(models.Model):
    """One version of a template, frozen: a changed template is a new row.

    ``content`` is ``annotation.checklists.schema.Template`` as JSON, ``source`` the YAML it
    was read from.
    """

    key = models.SlugField(max_length=80)
    version = models.CharField(max_length=40)
    name = models.CharField(max_length=200)
    content = models.JSONField()
    content_hash = models.CharField(max_length=64)
    source = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "version"], name="template_version_once"),
            models.UniqueConstraint(fields=["key", "content_hash"], name="template_content_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.version}"


class Checklist(models.Model):
    """What one producer extracted from one summary, or from the documents of a case.

    ``summary`` is empty when the documents were read. ``method`` tells apart several
    checklists of one producer (for example a configuration of an agent).
    """

    class Producer(models.TextChoices):
        ANNOTATOR = "annotator", "Annotator"
        GOLD = "gold", "Gold (adjudicated)"
        JUDGE = "judge", "Judge"
        AGENT = "agent", "Agent"

    case = models.ForeignKey("annotation.Case", on_delete=models.PROTECT, related_name="checklists")
    summary = models.ForeignKey(
        "annotation.Summary",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="checklists",
    )
    producer_kind = models.CharField(max_length=10, choices=Producer)
    producer = models.CharField(max_length=200)
    method = models.CharField(max_length=120, blank=True)
    template = models.ForeignKey(ChecklistVersion, on_delete=models.PROTECT, related_name="+")
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "summary", "producer_kind", "producer", "method"],
                condition=models.Q(summary__isnull=False),
                name="checklist_once_a_summary_and_producer",
            ),
            models.UniqueConstraint(
                fields=["case", "producer_kind", "producer", "method"],
                condition=models.Q(summary__isnull=True),
                name="checklist_once_a_case_and_producer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.summary or self.case} by {self.producer}"


class ChecklistItem(models.Model):
    """What a checklist says of one item. An item without a row was never looked for."""

    class State(models.TextChoices):
        VALUES = "values", "Has values"
        ABSENT = "absent", "Absent"
        NOT_APPLICABLE = "not_applicable", "Not applicable"

    checklist = models.ForeignKey(Checklist, on_delete=models.CASCADE, related_name="items")
    item_key = models.SlugField(max_length=80)
    state = models.CharField(max_length=16, choices=State)
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["checklist", "item_key"], name="item_once_a_checklist")
        ]

    def __str__(self) -> str:
        return f"{self.checklist}: {self.item_key}"


class ChecklistValue(models.Model):
    """One value of one item. ``metadata`` keeps what a file had beyond its text."""

    item = models.ForeignKey(ChecklistItem, on_delete=models.CASCADE, related_name="values")
    position = models.PositiveIntegerField()
    text = models.TextField()
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "position"], name="value_position_once")
        ]

    def __str__(self) -> str:
        return self.text[:80]


class Evidence(models.Model):
    """A quote that supports a value, and where it stands.

    ``start`` and ``end`` are half-open code-point offsets into the text of ``summary`` or
    ``document``; both are empty when the quote was not found there, and when nobody could look
    because its document is not in the study. ``source_name`` and ``location`` are the document
    and the place as a producer named them.
    """

    class Found(models.TextChoices):
        EXACT = "exact", "Exactly"
        NORMALISED = "normalised", "After normalising"
        FUZZY = "fuzzy", "Approximately"
        NOT_FOUND = "not_found", "Not found"
        NOT_SOUGHT = "not_sought", "Not looked for (its document is not here)"

    value = models.ForeignKey(ChecklistValue, on_delete=models.CASCADE, related_name="evidence")
    position = models.PositiveIntegerField()
    summary = models.ForeignKey(
        "annotation.Summary", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    document = models.ForeignKey(
        "annotation.SourceDocument",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    quote = models.TextField()
    found = models.CharField(max_length=10, choices=Found)
    source_name = models.CharField(max_length=500, blank=True)
    location = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "evidence"
        constraints = [
            models.UniqueConstraint(fields=["value", "position"], name="evidence_position_once"),
            models.CheckConstraint(
                condition=models.Q(
                    found__in=["not_found", "not_sought"], start__isnull=True, end__isnull=True
                )
                | (
                    ~models.Q(found__in=["not_found", "not_sought"])
                    & models.Q(start__isnull=False, end__isnull=False, end__gt=models.F("start"))
                ),
                name="evidence_start_before_end",
            ),
            models.CheckConstraint(
                condition=models.Q(summary__isnull=True) | models.Q(document__isnull=True),
                name="evidence_in_one_text",
            ),
        ]

    def __str__(self) -> str:
        return self.quote[:80]
