"""Reports of imports, kept."""

from __future__ import annotations

from django.db import models


class ImportReport(models.Model):
    """What an import read, made, left alone and could not read.

    ``report`` is ``annotation.records.report.ImportReport`` as JSON.
    """

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="import_reports"
    )
    source = models.CharField(max_length=500)
    kind = models.CharField(max_length=40)
    report = models.JSONField()
    actor = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.kind}: {self.source}"
