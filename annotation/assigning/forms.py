"""The form that hands out the tasks of a set."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Membership, Study, TaskSet


class AssignForm(forms.Form):
    """Who, how many people a task, and the seed of the draw."""

    field_order = ("annotators", "per_task", "seed")

    per_task = forms.IntegerField(
        label="People per task",
        min_value=1,
        max_value=100,
        help_text="People who have a task already count.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**53,
        help_text="The same seed always makes the same draw.",
    )

    def __init__(self, study: Study, task_set: TaskSet, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"per_task": task_set.overlap, "seed": study.seed})
        super().__init__(*args, **kwargs)
        members = Membership.objects.annotators(study).select_related("user")
        self.fields["annotators"] = forms.MultipleChoiceField(
            widget=forms.CheckboxSelectMultiple,
            help_text="The active annotators of the study.",
            choices=[
                (m.user.username, f"{m.user.get_full_name() or m.user.username} ({m.pseudonym})")
                for m in members
            ],
        )
        self.order_fields(self.field_order)
