"""Runs that read the documents of a case and fill its checklist, step by step."""

from __future__ import annotations

from django.db import models


class ExtractionRun(models.Model):
    """One run of a model over the documents of a case.

    ``method`` is how it read them, ``unit`` the part of the checklist it was asked for when a
    method splits it (a group of items, one item). ``checklist`` is what its values went into.
    ``stats`` is the account of the run as its source has it; the token counts repeat its sums and
    are empty where it has none. ``source_file`` names where an imported run came from.
    """

    class Method(models.TextChoices):
        END_TO_END = "end_to_end", "All documents at once"
        CHUNK_BY_CHUNK = "chunk_by_chunk", "Chunk by chunk"
        ALL = "all", "Agent, all items at once"
        GROUPED = "grouped", "Agent, group by group"
        INDIVIDUAL = "individual", "Agent, item by item"

    class Source(models.TextChoices):
        IMPORTED = "imported", "Imported"
        OWN = "own", "Run here"

    case = models.ForeignKey(
        "annotation.Case", on_delete=models.PROTECT, related_name="extraction_runs"
    )
    checklist = models.ForeignKey(
        "annotation.Checklist",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="extraction_runs",
    )
    source = models.CharField(max_length=10, choices=Source)
    source_file = models.CharField(max_length=500, blank=True)
    model = models.CharField(max_length=200)
    method = models.CharField(max_length=16, choices=Method)
    unit = models.CharField(max_length=120, blank=True)
    steps = models.PositiveIntegerField(null=True, blank=True)
    prompt_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    stop_reason = models.CharField(max_length=80, blank=True)
    stats = models.JSONField(default=dict, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["case", "model", "method", "unit"],
                condition=models.Q(source="imported"),
                name="extraction_run_imported_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.model}, {self.method} {self.unit}".rstrip()


class RunStep(models.Model):
    """One thing that happened in a run, in the order of ``position``.

    ``kind`` is ``event`` (an entry of the ledger: a tool that was used and what came of it) or
    ``answer`` (what the model answered, as it came, in ``text``). ``step`` is the number that the
    source gives it; several rows may share one. ``content`` is the rest of the entry.
    """

    class Kind(models.TextChoices):
        EVENT = "event", "Tool used"
        ANSWER = "answer", "Answer of the model"

    run = models.ForeignKey(ExtractionRun, on_delete=models.CASCADE, related_name="run_steps")
    kind = models.CharField(max_length=10, choices=Kind)
    position = models.PositiveIntegerField()
    step = models.IntegerField(null=True, blank=True)
    name = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    content = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "kind", "position"], name="run_step_once")
        ]

    def __str__(self) -> str:
        return f"{self.run}: {self.kind} {self.position}"
