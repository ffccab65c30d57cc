"""The filter of the cases."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.browsing.pages import CaseFilter, length_order
from annotation.models import Study


class CaseFilterForm(forms.Form):
    """Which cases to show."""

    q = forms.CharField(
        label="Id, title or type",
        required=False,
        max_length=200,
        widget=forms.TextInput({"type": "search"}),
    )
    case_type = forms.ChoiceField(label="Type", required=False)
    length_bin = forms.ChoiceField(label="Length", required=False)
    sort = forms.CharField(required=False, max_length=20, widget=forms.HiddenInput)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        found = set(study.cases.values_list("case_type", "length_bin"))
        self._offer("case_type", "Any type", sorted({kind for kind, _ in found if kind}))
        lengths = {length for _, length in found if length}
        self._offer("length_bin", "Any length", sorted(lengths, key=length_order))

    @property
    def has_filter(self) -> bool:
        """Whether anything is asked for; how it is sorted leaves nothing out."""
        wanted = self.wanted()
        return bool(wanted.q or wanted.case_type or wanted.length_bin)

    def _offer(self, name: str, nothing: str, values: list[str]) -> None:
        choices = [("", nothing), *((value, value) for value in values)]
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def wanted(self) -> CaseFilter:
        """The filter; a value that is not offered filters nothing."""
        self.is_valid()
        return CaseFilter(**{name: value for name, value in self.cleaned_data.items() if value})
