"""Forms of a person's own account, of a study's members, and of task lists."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django import forms

from annotation.checklists.schema import Template
from annotation.models import Role, TaskSet, User


class AccountForm(forms.ModelForm):
    """How the pages look and behave for their owner."""

    class Meta:
        model = User
        fields = ["theme", "density", "text_size", "time_zone", "single_keys", "fast_mode"]

    def clean_time_zone(self) -> str:
        name: str = self.cleaned_data["time_zone"]
        if name not in zoneinfo.available_timezones():
            raise forms.ValidationError(
                f"“{name}” is no known time zone. Write one such as UTC or America/New_York."
            )
        return name


class MemberForm(forms.Form):
    """Make an existing account a member, or change the role of a member."""

    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR)

    def clean_username(self) -> User:
        name = self.cleaned_data["username"].strip()
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError(
                f"There is no active account called “{name}”. Make the account in the admin first."
            )
        return user


class TaskFilterForm(forms.Form):
    """What to show of a task set."""

    form = forms.ChoiceField(
        label="Form",
        required=False,
        choices=[("", "Any form"), ("single", "Single values"), ("list", "Lists")],
    )
    item = forms.ChoiceField(label="Item", required=False)
    state = forms.ChoiceField(
        label="State",
        required=False,
        choices=[
            ("", "Any state"),
            ("waiting", "Answers missing"),
            ("flagged", "Flagged"),
            ("skipped", "Skipped by somebody"),
        ],
    )
    case = forms.CharField(label="Case", required=False, max_length=120)

    def __init__(self, *args: Any, template: Template, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        items = [(item.key, item.label) for item in template.items]
        self.fields["item"].choices = [("", "Any item"), *items]  # type: ignore[attr-defined]
        if kind != TaskSet.Kind.COMPARISON:
            del self.fields["form"], self.fields["item"]
