"""Runs and figures to look at, and the export of a study or a task set."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase

from annotation.admin import LookOnly, person
from annotation.errors import DomainError
from annotation.models import Study, TaskSet
from annotation.permissions import Right, require
from evaluation.exporting.services import BUNDLE, CSV, Wanted
from evaluation.exporting.views import download
from evaluation.models import (
    ChecklistComparison,
    ItemVerdict,
    JudgeCall,
    JudgeRun,
    JudgeTask,
    MetaEvaluation,
    Verdict,
)


@admin.action(description="Export annotation set", permissions=["view"])
def export_annotation_set(
    modeladmin: admin.ModelAdmin[Any], request: HttpRequest, queryset: QuerySet[Any]
) -> HttpResponseBase | None:
    """Download one study as a bundle, or one task set as tables."""
    chosen = list(queryset[:2])
    if len(chosen) != 1:
        messages.error(request, "Choose one row: an export is of one at a time.")
        return None
    is_set = isinstance(chosen[0], TaskSet)
    study: Study = chosen[0].study if is_set else chosen[0]
    wanted = Wanted(CSV, chosen[0]) if is_set else Wanted(BUNDLE)
    try:
        require(person(request), study, Right.EXPORT)
        return download(study, wanted, person(request))
    except DomainError as error:
        messages.error(request, error.message)
        return None


for _model in (Study, TaskSet):
    admin.site.get_model_admin(_model).actions = [export_annotation_set]


@admin.register(JudgeRun)
class JudgeRunAdmin(LookOnly):
    list_display = ("pk", "judge", "study", "task_set", "status", "created_at", "finished_at")
    list_select_related = ("judge", "study", "task_set")
    list_filter = ("study", "status", "judge")


@admin.register(JudgeTask)
class JudgeTaskAdmin(LookOnly):
    list_display = ("pk", "run", "task", "repeat", "swapped", "status", "attempts", "error_kind")
    list_select_related = ("run", "task")
    list_filter = ("status", "error_kind", "run__study")
    search_fields = ("task__key",)


@admin.register(JudgeCall)
class JudgeCallAdmin(LookOnly):
    list_display = ("pk", "judge_task", "attempt", "error_kind", "served_model", "seconds", "at")
    list_select_related = ("judge_task__run", "judge_task__task")
    list_filter = ("error_kind",)


@admin.register(Verdict)
class VerdictAdmin(LookOnly):
    list_display = ("judge_task", "at")
    list_select_related = ("judge_task__run", "judge_task__task")


@admin.register(ChecklistComparison)
class ChecklistComparisonAdmin(LookOnly):
    list_display = ("case", "model_name", "method", "extractor", "comparer", "created_at")
    list_select_related = ("case",)
    list_filter = ("case__study", "comparer")
    search_fields = ("case__external_id", "model_name", "comparer")


@admin.register(ItemVerdict)
class ItemVerdictAdmin(LookOnly):
    list_display = ("comparison", "item_key", "status", "orientation", "form")
    list_select_related = ("comparison__case",)
    list_filter = ("status", "orientation", "comparison__case__study")
    search_fields = ("comparison__case__external_id", "item_key")


@admin.register(MetaEvaluation)
class MetaEvaluationAdmin(LookOnly):
    list_display = ("pk", "study", "seed", "draws", "created_by", "created_at")
    list_select_related = ("study", "created_by")
    list_filter = ("study",)
