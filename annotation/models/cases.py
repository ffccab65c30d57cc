"""Cases with their documents and summaries. Texts are stored once and never changed."""

from __future__ import annotations

from django.db import models


class Case(models.Model):
    """One lawsuit, review, ...: the cluster of every statistic.

    A case may be known by its id alone (comparison files name cases without their texts).
    ``token_count`` counts all documents under the o200k_base vocabulary.
    """

    study = models.ForeignKey("annotation.Study", on_delete=models.PROTECT, related_name="cases")
    external_id = models.CharField(max_length=120)
    title = models.CharField(max_length=300, blank=True)
    filing_date = models.DateField(null=True, blank=True)
    case_type = models.CharField(max_length=200, blank=True)
    token_count = models.PositiveIntegerField(null=True, blank=True)
    length_bin = models.CharField(max_length=40, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "external_id"], name="case_once_a_study")
        ]

    def __str__(self) -> str:
        return self.external_id


class SourceDocument(models.Model):
    """One document of a case; names are unique within the case."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="documents")
    name = models.CharField(max_length=500)
    document_type = models.CharField(max_length=120, blank=True)
    date = models.DateField(null=True, blank=True)
    position = models.PositiveIntegerField()
    text = models.TextField()
    original_sha256 = models.CharField(max_length=64)
    token_count = models.PositiveIntegerField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "name"], name="document_name_once_a_case"),
            models.UniqueConstraint(fields=["case", "position"], name="document_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.name}"


class Summary(models.Model):
    """A summary of a case: the reference, or one model's.

    ``text`` has its line ends normalised; ``original_sha256`` is of the bytes as they came.
    ``kept_share`` (0..1) is the share of the documents the model saw when they were cut to fit.
    """

    class Kind(models.TextChoices):
        REFERENCE = "reference", "Reference"
        MODEL = "model", "Model"

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="summaries")
    kind = models.CharField(max_length=10, choices=Kind)
    producer = models.CharField(max_length=200, help_text="The model, or 'reference'.")
    text = models.TextField()
    original_sha256 = models.CharField(max_length=64)
    word_count = models.PositiveIntegerField()
    kept_share = models.FloatField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "summaries"
        constraints = [
            models.UniqueConstraint(fields=["case", "producer"], name="summary_once_a_producer"),
            models.UniqueConstraint(
                fields=["case"],
                condition=models.Q(kind="reference"),
                name="summary_one_reference_a_case",
            ),
            models.CheckConstraint(
                condition=models.Q(kept_share__isnull=True)
                | models.Q(kept_share__gte=0, kept_share__lte=1),
                name="summary_kept_share_0_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.producer}"
