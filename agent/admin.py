"""Judges are made and switched on and off by admins; runs are there to look at."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from agent.connecting.services import RULES, check_address, snapshot
from agent.models import ExtractionRun, Judge, RunStep
from annotation import audit
from annotation.admin import LookOnly, NothingGoes, person
from annotation.errors import DomainError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class JudgeForm(forms.ModelForm[Judge]):
    """A judge as an admin may enter it: the address allowed, the key only named."""

    class Meta:
        model = Judge
        fields = (
            "name", "kind", "base_url", "model", "api_key_env", "params", "timeout_seconds",
            "concurrency", "is_anchored", "is_active",
        )  # fmt: skip
        # Addresses are checked by check_address, which knows names such as http://vllm:8000 too.
        field_classes = {"base_url": forms.CharField}

    def _get_validation_exclusions(self) -> set[str]:
        return {*super()._get_validation_exclusions(), "base_url"}  # type: ignore[misc]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name == RULES and self.instance.name != RULES:
            raise forms.ValidationError("This is the name of the built-in baseline.")
        return name

    def clean_base_url(self) -> str:
        url: str = self.cleaned_data["base_url"].rstrip("/")
        if url:
            try:
                check_address(url)
            except DomainError as error:
                raise forms.ValidationError(error.message) from error
        return url

    def clean_api_key_env(self) -> str:
        name: str = self.cleaned_data["api_key_env"]
        if name and not _VARIABLE.fullmatch(name):
            raise forms.ValidationError(
                "Give the name of an environment variable (such as MY_API_KEY), never a key."
            )
        return name

    def clean_params(self) -> dict[str, Any]:
        params = self.cleaned_data["params"] or {}
        if not isinstance(params, dict):
            raise forms.ValidationError('Give a JSON object, such as {"temperature": 0}.')
        return params


@admin.register(Judge)
class JudgeAdmin(NothingGoes):
    """What a run depends on is fixed once a judge has a run; make another judge instead."""

    form = JudgeForm
    list_display = ("name", "kind", "model", "base_url", "is_anchored", "is_active")
    list_filter = ("kind", "is_active")
    search_fields = ("name", "model")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is not None and obj.runs.exists():
            return ("name", "kind", "base_url", "model", "params", "is_anchored")
        return ()

    def save_model(self, request: HttpRequest, obj: Judge, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        action = "judge.changed" if change else "judge.added"
        audit.log(action, actor=person(request), target=obj, detail=snapshot(obj))


@admin.register(ExtractionRun)
class ExtractionRunAdmin(LookOnly):
    list_display = ("pk", "case", "model", "method", "unit", "source", "steps", "created_at")
    list_select_related = ("case",)
    list_filter = ("case__study", "source", "method")
    search_fields = ("case__external_id", "model", "unit")
    raw_id_fields = ("case", "checklist")


@admin.register(RunStep)
class RunStepAdmin(LookOnly):
    list_display = ("run", "kind", "position", "step", "name", "at")
    list_select_related = ("run__case",)
    list_filter = ("kind",)
    search_fields = ("run__case__external_id", "name")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text", "content")
