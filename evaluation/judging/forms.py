"""The form that starts a run."""

from __future__ import annotations

from typing import Any

from django import forms

from agent.models import Judge
from annotation.models import Study, TaskSet
from evaluation.judging.asking import judged_kinds
from evaluation.judging.services import MAX_LIMIT, MAX_REPEATS


class RunForm(forms.Form):
    """Which judge answers which task set, and how."""

    judge = forms.ModelChoiceField(queryset=Judge.objects.none(), empty_label=None)
    task_set = forms.ModelChoiceField(queryset=TaskSet.objects.none(), empty_label=None)
    swap = forms.BooleanField(
        required=False,
        label="Ask every pair in both orders",
        help_text="Twice the requests; shows how often the answer changes with the order.",
    )
    repeats = forms.IntegerField(min_value=1, max_value=MAX_REPEATS, initial=1)
    limit = forms.IntegerField(
        min_value=1,
        max_value=MAX_LIMIT,
        required=False,
        label="Only the first",
        help_text="Leave empty for all tasks.",
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        judges = Judge.objects.filter(is_active=True).order_by("name")
        sets = study.task_sets.filter(kind__in=judged_kinds()).order_by("key")
        self.fields["judge"].queryset = judges  # type: ignore[attr-defined]
        self.fields["task_set"].queryset = sets  # type: ignore[attr-defined]
