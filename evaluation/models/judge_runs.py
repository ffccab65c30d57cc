"""Judge runs, split into one row a question so that a run can stop anywhere and go on."""

from __future__ import annotations

import datetime as dt

from django.db import models


class JudgeRun(models.Model):
    """One judge answering one task set.

    ``judge_snapshot`` is the judge as it was at the start (never a key), ``prompt_hash`` the
    hash of the prompt texts, ``seed`` the root of the drawn A/B orders. ``swap`` asks every
    pair in both orders; ``repeats`` asks it several times.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    FINAL = (Status.DONE, Status.FAILED, Status.CANCELLED)

    study = models.ForeignKey(
        "annotation.Study", on_delete=models.PROTECT, related_name="judge_runs"
    )
    task_set = models.ForeignKey(
        "annotation.TaskSet", on_delete=models.PROTECT, related_name="judge_runs"
    )
    judge = models.ForeignKey("agent.Judge", on_delete=models.PROTECT, related_name="runs")
    judge_snapshot = models.JSONField()
    prompt_hash = models.CharField(max_length=64)
    code_version = models.CharField(max_length=80)
    seed = models.PositiveBigIntegerField()
    swap = models.BooleanField(default=False)
    repeats = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    error = models.TextField(blank=True)
    limit = models.PositiveIntegerField(null=True, blank=True)
    started_by = models.ForeignKey(
        "annotation.User", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(repeats__gte=1), name="judge_run_repeats_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.judge_snapshot.get('name', '?')}"

    @property
    def is_final(self) -> bool:
        return self.status in self.FINAL


class JudgeTaskQuerySet(models.QuerySet["JudgeTask"]):
    def claimable(self, now: dt.datetime) -> JudgeTaskQuerySet:
        """Waiting and due, or claimed by a worker that has gone silent."""
        waiting = models.Q(status=JudgeTask.Status.PENDING) & (
            models.Q(not_before__isnull=True) | models.Q(not_before__lte=now)
        )
        silent = models.Q(status=JudgeTask.Status.RUNNING, lease_until__lt=now)
        return self.filter(waiting | silent).order_by("pk")


class JudgeTask(models.Model):
    """One question of a run: a task, in one order, in one repeat.

    ``first_side`` is the side shown as A. ``NOT_SCORED`` is final: the judge's answers could not
    be read (``error_kind`` says why); it is never a score of zero.
    """

    class Status(models.TextChoices):
        PENDING = "pending", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Answered"
        NOT_SCORED = "not_scored", "Not scored"

    run = models.ForeignKey(JudgeRun, on_delete=models.CASCADE, related_name="judge_tasks")
    task = models.ForeignKey(
        "annotation.Task", on_delete=models.PROTECT, related_name="judge_tasks"
    )
    repeat = models.PositiveSmallIntegerField(default=1)
    swapped = models.BooleanField(default=False)
    first_side = models.CharField(max_length=10)
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    claimed_by = models.CharField(max_length=80, blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JudgeTaskQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "task", "repeat", "swapped"], name="judge_task_once_a_run"
            ),
            models.CheckConstraint(
                condition=models.Q(first_side__in=["model", "reference"]),
                name="judge_task_first_side_known",
            ),
        ]
        indexes = [models.Index(fields=["run", "status"], name="judge_task_status")]

    def __str__(self) -> str:
        return f"{self.run}: {self.task}"


class JudgeCall(models.Model):
    """One request to a judge and what came back, as sent and as received.

    Failed attempts are kept too: they cost money and they explain a missing verdict. ``tries``
    are the failures that the client overcame before this outcome (a rate limit it waited for).
    """

    judge_task = models.ForeignKey(JudgeTask, on_delete=models.CASCADE, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    request = models.JSONField()
    request_hash = models.CharField(max_length=64)
    reply = models.JSONField(null=True, blank=True)
    reply_text = models.TextField(blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    served_model = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    reasoning_tokens = models.PositiveIntegerField(null=True, blank=True)
    tokens_estimated = models.BooleanField(default=False)
    seconds = models.FloatField(default=0)
    notes = models.JSONField(default=list, blank=True)
    tries = models.JSONField(default=list, blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge_task", "attempt"], name="judge_call_once")
        ]

    def __str__(self) -> str:
        return f"{self.judge_task}, attempt {self.attempt}"


class Verdict(models.Model):
    """What a judge answered, read and cleaned, said of model and reference.

    ``payload`` has the shape of an annotator's answer of the same kind. ``repairs`` counts, by
    kind, what had to be mended to read it. ``call`` is the answer it was read from.
    """

    judge_task = models.OneToOneField(JudgeTask, on_delete=models.CASCADE, related_name="verdict")
    call = models.OneToOneField(JudgeCall, on_delete=models.CASCADE, related_name="verdict")
    payload = models.JSONField()
    repairs = models.JSONField(default=dict, blank=True)
    explanation = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"verdict on {self.judge_task}"
