"""The filter of the verdicts that came from files."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.checklists.schema import Template
from annotation.models import Study
from evaluation.models import ChecklistComparison, ItemVerdict
from evaluation.releasing.pages import READINGS, VerdictFilter, work_of


class VerdictFilterForm(forms.Form):
    """Which verdicts to show."""

    comparer = forms.ChoiceField(label="Judge", required=False)
    work = forms.ChoiceField(label="Work of", required=False)
    item = forms.ChoiceField(label="Item", required=False)
    orientation = forms.ChoiceField(
        label="Order of A and B",
        required=False,
        choices=[("", "Any"), *ItemVerdict.Orientation.choices],
    )
    reading = forms.ChoiceField(
        label="Reading", required=False, choices=[("", "Any"), *READINGS.items()]
    )

    def __init__(self, *args: Any, study: Study, template: Template, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = ChecklistComparison.objects.filter(case__study=study).values_list(
            "comparer", "model_name", "method"
        )
        found = sorted(set(names))
        comparers = sorted({comparer for comparer, _, _ in found})
        works = dict.fromkeys(work_of(model, method) for _, model, method in found)
        self._offer("comparer", "Any judge", [(name, name) for name in comparers])
        self._offer("work", "Any model", [(name, name) for name in works])
        self._offer("item", "Any item", [(item.key, item.label) for item in template.items])

    def _offer(self, name: str, nothing: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = [("", nothing), *choices]  # type: ignore[attr-defined]

    def wanted(self) -> VerdictFilter:
        """The filter; a value that is not offered filters nothing."""
        self.is_valid()
        return VerdictFilter(**{name: value for name, value in self.cleaned_data.items() if value})
