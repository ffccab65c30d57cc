"""The filters of the row tables."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.checklists.schema import Template
from annotation.kinds.comparison import Relation
from annotation.managing.pages import RELATION_WORDS
from evaluation.meta_evaluating.pages import RowFilter

_RELATIONS = [(relation.value, RELATION_WORDS[relation]) for relation in Relation]


class RowFilterForm(forms.Form):
    """Which rows behind a figure to show."""

    form = forms.ChoiceField(
        label="Form",
        required=False,
        choices=[("", "Any form"), ("single", "Single values"), ("list", "Lists")],
    )
    item = forms.ChoiceField(label="Item", required=False)
    human = forms.ChoiceField(
        label="People say", required=False, choices=[("", "Anything"), *_RELATIONS]
    )
    judge = forms.ChoiceField(
        label="Judge says",
        required=False,
        choices=[("", "Anything"), *_RELATIONS, ("not_scored", "Not scored")],
    )
    agreement = forms.ChoiceField(
        label="Agreement",
        required=False,
        choices=[
            ("", "Any"),
            ("agree", "Same answer"),
            ("disagree", "Different answers"),
            ("no_gold", "No majority of people"),
        ],
    )

    def __init__(self, *args: Any, template: Template, with_judge: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        items = [(item.key, item.label) for item in template.items]
        self.fields["item"].choices = [("", "Any item"), *items]  # type: ignore[attr-defined]
        if not with_judge:
            del self.fields["judge"]

    def wanted(self) -> RowFilter:
        """The filter; a value that is not offered filters nothing."""
        self.is_valid()
        known = {name: value for name, value in self.cleaned_data.items() if value}
        return RowFilter(**known)
