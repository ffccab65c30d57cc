"""What the API says of studies, task sets, tasks and answers; every field is named.

People appear under their pseudonyms only.
"""

from __future__ import annotations

from rest_framework import serializers

from annotation.models import Answer, Study, Task, TaskSet


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study. ``template`` is its checklist template with the version."""

    template = serializers.CharField(source="template.key", read_only=True)
    template_version = serializers.CharField(source="template.version", read_only=True)

    class Meta:
        model = Study
        fields = (
            "slug",
            "name",
            "description",
            "template",
            "template_version",
            "is_synthetic",
            "seed",
            "created_at",
        )
        read_only_fields = fields


class TaskSetSerializer(serializers.ModelSerializer[TaskSet]):
    """A task set; ``tasks`` is how many it holds, ``overlap`` how many people answer each."""

    tasks = serializers.IntegerField(source="n_tasks", read_only=True)

    class Meta:
        model = TaskSet
        fields = ("key", "title", "kind", "overlap", "options", "tasks", "closed_at", "created_at")
        read_only_fields = fields


class TaskSerializer(serializers.ModelSerializer[Task]):
    """One question as it was imported, said of model and reference."""

    task_set = serializers.CharField(source="task_set.key", read_only=True)
    kind = serializers.CharField(source="task_set.kind", read_only=True)
    case = serializers.CharField(source="case.external_id", read_only=True)
    item = serializers.CharField(source="item_key", read_only=True)

    class Meta:
        model = Task
        fields = (
            "id",
            "task_set",
            "kind",
            "key",
            "position",
            "case",
            "item",
            "form",
            "content",
            "content_hash",
        )
        read_only_fields = fields


class AnswerSerializer(serializers.ModelSerializer[Answer]):
    """One version of one annotator's answer.

    ``payload`` is said of model and reference and is null when the task was skipped;
    ``first_side`` is the side that the annotator saw as A. ``is_current`` marks the version
    that counts. Seconds are totals over all stays at the task until then.
    """

    task = serializers.IntegerField(source="assignment.task_id", read_only=True)
    task_key = serializers.CharField(source="assignment.task.key", read_only=True)
    task_set = serializers.CharField(source="assignment.task.task_set.key", read_only=True)
    case = serializers.CharField(source="assignment.task.case.external_id", read_only=True)
    item = serializers.CharField(source="assignment.task.item_key", read_only=True)
    annotator = serializers.CharField(source="pseudonym", read_only=True, allow_null=True)
    round = serializers.IntegerField(source="assignment.round", read_only=True)
    is_current = serializers.SerializerMethodField()
    guideline = serializers.IntegerField(
        source="guideline.version", read_only=True, allow_null=True, default=None
    )
    template_version = serializers.CharField(source="template.version", read_only=True)

    class Meta:
        model = Answer
        fields = (
            "id",
            "task",
            "task_key",
            "task_set",
            "case",
            "item",
            "annotator",
            "round",
            "version",
            "is_current",
            "outcome",
            "payload",
            "first_side",
            "comment",
            "flagged",
            "skip_reason",
            "active_seconds",
            "wall_seconds",
            "guideline",
            "template_version",
            "submitted_at",
        )
        read_only_fields = fields

    def get_is_current(self, answer: Answer) -> bool:
        """Whether this version counts."""
        return answer.assignment.current_id == answer.pk
