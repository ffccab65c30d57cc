"""What the API says of judge runs, verdicts and saved figures; every field is named."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from evaluation.models import JudgeRun, JudgeTask, MetaEvaluation, Verdict


class RunSerializer(serializers.ModelSerializer[JudgeRun]):
    """A judge run. ``judge_snapshot`` is the judge as it was at the start, without any key."""

    judge = serializers.CharField(source="judge.name", read_only=True)
    is_baseline = serializers.BooleanField(source="judge.is_baseline", read_only=True)
    is_anchored = serializers.BooleanField(source="judge.is_anchored", read_only=True)
    task_set = serializers.CharField(source="task_set.key", read_only=True)
    status = serializers.CharField(read_only=True)
    questions = serializers.IntegerField(source="n_questions", read_only=True)
    answered = serializers.IntegerField(source="n_ok", read_only=True)
    not_scored = serializers.IntegerField(source="n_not_scored", read_only=True)

    class Meta:
        model = JudgeRun
        fields = (
            "id",
            "judge",
            "is_baseline",
            "is_anchored",
            "judge_snapshot",
            "task_set",
            "status",
            "error",
            "questions",
            "answered",
            "not_scored",
            "seed",
            "swap",
            "repeats",
            "limit",
            "prompt_hash",
            "code_version",
            "created_at",
            "finished_at",
        )
        read_only_fields = fields


class VerdictSerializer(serializers.ModelSerializer[JudgeTask]):
    """What a judge said to one question of a run.

    ``payload`` has the shape of an annotator's answer. It is null where ``status`` is
    ``not_scored``: the judge's answer could not be had or read, and ``error_kind`` says why.
    """

    run = serializers.IntegerField(source="run_id", read_only=True)
    judge = serializers.CharField(source="run.judge.name", read_only=True)
    task = serializers.IntegerField(source="task_id", read_only=True)
    task_key = serializers.CharField(source="task.key", read_only=True)
    task_set = serializers.CharField(source="task.task_set.key", read_only=True)
    case = serializers.CharField(source="task.case.external_id", read_only=True)
    item = serializers.CharField(source="task.item_key", read_only=True)
    status = serializers.CharField(read_only=True)
    payload = serializers.SerializerMethodField()
    repairs = serializers.SerializerMethodField()

    class Meta:
        model = JudgeTask
        fields = (
            "id",
            "run",
            "judge",
            "task",
            "task_key",
            "task_set",
            "case",
            "item",
            "repeat",
            "swapped",
            "first_side",
            "status",
            "payload",
            "repairs",
            "error_kind",
            "error",
            "attempts",
            "finished_at",
        )
        read_only_fields = fields

    def get_payload(self, question: JudgeTask) -> dict[str, Any] | None:
        """The verdict, read and cleaned."""
        verdict = _verdict(question)
        return verdict.payload if verdict else None

    def get_repairs(self, question: JudgeTask) -> dict[str, int]:
        """What had to be mended to read it, by kind."""
        verdict = _verdict(question)
        return verdict.repairs if verdict else {}


def _verdict(question: JudgeTask) -> Verdict | None:
    return getattr(question, "verdict", None)


class MetaEvaluationSerializer(serializers.ModelSerializer[MetaEvaluation]):
    """One saved computation: what it was computed from, and by what."""

    class Meta:
        model = MetaEvaluation
        fields: tuple[str, ...] = ("id", "inputs", "seed", "draws", "versions", "created_at")
        read_only_fields = fields


class FiguresSerializer(MetaEvaluationSerializer):
    """The same with its figures; one without a value has its ``undefined_reason``."""

    class Meta(MetaEvaluationSerializer.Meta):
        fields = (*MetaEvaluationSerializer.Meta.fields, "rows")
        read_only_fields = fields
