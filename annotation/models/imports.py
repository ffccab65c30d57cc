"""Reports of imports, kept, and the uploads they came from."""

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


class ImportJob(models.Model):
    """An upload on its way into a study: looked through first, stored when somebody says so.

    ``format`` is a key of ``annotation.importing.formats``, ``options`` its fields as filled in.
    The files lie in ``folder`` below the upload directory until the job has ended. ``preview`` is
    the report of a dry run, ``report`` that of the import itself.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting to be looked through"
        CHECKING = "checking", "Being looked through"
        CHECKED = "checked", "Looked through"
        QUEUED = "queued", "Waiting to be imported"
        IMPORTING = "importing", "Being imported"
        DONE = "done", "Imported"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    FINAL = (Status.DONE, Status.FAILED, Status.CANCELLED)

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="import_jobs"
    )
    format = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    accept_partial = models.BooleanField(default=False)
    names = models.JSONField(default=list)
    size = models.PositiveBigIntegerField(default=0)
    folder = models.CharField(max_length=120, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    preview = models.JSONField(null=True, blank=True)
    report = models.ForeignKey(
        ImportReport, null=True, blank=True, on_delete=models.PROTECT, related_name="jobs"
    )
    error = models.TextField(blank=True)
    actor = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.format}: {', '.join(map(str, self.names))[:80]}"

    @property
    def is_final(self) -> bool:
        return self.status in self.FINAL
