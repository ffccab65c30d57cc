"""The admin of support: look at everything, change little, delete nothing.

Answers, events and audit rows cannot be changed anywhere, so here they cannot either.
"""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.forms import ModelForm
from django.http import HttpRequest

from annotation import audit
from annotation.managing.services import add_member
from annotation.models import (
    Answer,
    Assignment,
    AuditEntry,
    Case,
    Checklist,
    ChecklistVersion,
    Event,
    Guideline,
    ImportJob,
    ImportReport,
    Membership,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
    User,
    Visit,
)


def person(request: HttpRequest) -> User:
    """Who is logged in: nobody else gets here."""
    return cast(User, request.user)


class NothingGoes(admin.ModelAdmin):
    """Rows can be looked at and, where a subclass says so, changed; none can be deleted."""

    show_full_result_count = False
    list_per_page = 50

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class LookOnly(NothingGoes):
    """Rows that services write: nothing to add or to change by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Accounts. One that is no longer wanted is made inactive: its answers stay."""

    list_display = ("username", "is_active", "is_staff", "is_superuser", "last_login")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Study)
class StudyAdmin(NothingGoes):
    """Names and descriptions; what figures depend on is fixed."""

    list_display = ("slug", "name", "template", "is_synthetic", "created_at")
    list_select_related = ("template",)
    search_fields = ("slug", "name")
    readonly_fields = ("slug", "template", "seed", "created_by", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Study, form: ModelForm[Study], change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        audit.log(
            "study.changed",
            actor=person(request),
            study=obj,
            target=obj,
            detail={"fields": form.changed_data},
        )


@admin.register(TaskSet)
class TaskSetAdmin(LookOnly):
    list_display = ("key", "study", "kind", "overlap", "closed_at", "created_at")
    list_select_related = ("study",)
    list_filter = ("study", "kind")
    search_fields = ("key", "title")


@admin.register(Membership)
class MembershipAdmin(NothingGoes):
    """Who is in which study. The pseudonym is drawn once and never changes."""

    list_display = ("pseudonym", "role", "study", "user")
    list_select_related = ("study", "user")
    list_filter = ("study", "role")
    search_fields = ("pseudonym", "user__username")
    autocomplete_fields = ("study", "user")
    fields = ("study", "user", "role", "pseudonym")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("study", "user", "pseudonym") if obj else ("pseudonym",)

    def save_model(
        self,
        request: HttpRequest,
        obj: Membership,
        form: ModelForm[Membership],
        change: bool,
    ) -> None:
        stored = add_member(obj.study, obj.user, obj.role, actor=person(request))
        obj.pk = stored.pk
        obj.pseudonym = stored.pseudonym


@admin.register(Guideline)
class GuidelineAdmin(LookOnly):
    list_display = ("study", "version", "created_at")
    list_select_related = ("study",)
    list_filter = ("study",)


@admin.register(Case)
class CaseAdmin(LookOnly):
    list_display = ("external_id", "study", "title", "filing_date", "token_count")
    list_select_related = ("study",)
    list_filter = ("study",)
    search_fields = ("external_id", "title")


@admin.register(SourceDocument)
class SourceDocumentAdmin(LookOnly):
    list_display = ("name", "case", "document_type", "date", "token_count")
    list_select_related = ("case",)
    search_fields = ("name", "case__external_id")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")


@admin.register(Summary)
class SummaryAdmin(LookOnly):
    list_display = ("case", "producer", "kind", "word_count", "created_at")
    list_select_related = ("case",)
    list_filter = ("case__study", "kind")
    search_fields = ("case__external_id", "producer")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")


@admin.register(ChecklistVersion)
class ChecklistVersionAdmin(LookOnly):
    list_display = ("key", "version", "name", "created_at")
    search_fields = ("key", "name")


@admin.register(Checklist)
class ChecklistAdmin(LookOnly):
    list_display = ("case", "producer_kind", "producer", "method", "template", "created_at")
    list_select_related = ("case", "template")
    list_filter = ("case__study", "producer_kind")
    search_fields = ("case__external_id", "producer")
    raw_id_fields = ("case", "summary")


@admin.register(Task)
class TaskAdmin(LookOnly):
    list_display = ("key", "task_set", "position", "case", "item_key", "form")
    list_select_related = ("task_set", "case")
    list_filter = ("task_set__study", "task_set__kind", "form")
    search_fields = ("key", "case__external_id", "item_key")


@admin.register(Assignment)
class AssignmentAdmin(LookOnly):
    list_display = ("task", "annotator", "round", "position", "status", "version", "changed_at")
    list_select_related = ("task", "annotator")
    list_filter = ("task__task_set__study", "status")
    search_fields = ("task__key", "annotator__username")


@admin.register(Answer)
class AnswerAdmin(LookOnly):
    list_display = ("assignment", "version", "outcome", "flagged", "active_seconds", "submitted_at")
    list_select_related = ("assignment__task", "assignment__annotator")
    list_filter = ("assignment__task__task_set__study", "outcome", "flagged")
    search_fields = ("assignment__task__key", "assignment__annotator__username")


@admin.register(Event)
class EventAdmin(LookOnly):
    list_display = ("assignment", "version", "action", "actor", "at")
    list_select_related = ("assignment__task", "assignment__annotator", "actor")
    search_fields = ("assignment__task__key", "actor__username")


@admin.register(Visit)
class VisitAdmin(LookOnly):
    list_display = ("assignment", "started_at", "last_seen_at", "active_seconds")
    list_select_related = ("assignment__task", "assignment__annotator")


@admin.register(ImportReport)
class ImportReportAdmin(LookOnly):
    list_display = ("kind", "source", "study", "actor", "created_at")
    list_select_related = ("study", "actor")
    list_filter = ("study", "kind")


@admin.register(ImportJob)
class ImportJobAdmin(LookOnly):
    list_display = ("pk", "format", "study", "status", "size", "actor", "created_at", "finished_at")
    list_select_related = ("study", "actor")
    list_filter = ("study", "status", "format")


@admin.register(AuditEntry)
class AuditEntryAdmin(LookOnly):
    list_display = ("at", "actor", "study", "action", "target")
    list_select_related = ("actor", "study")
    list_filter = ("study", "action")
    search_fields = ("actor__username", "target")
