"""The filter of the extraction runs."""

from __future__ import annotations

from typing import Any

from django import forms

from agent.extracting.pages import RunFilter
from agent.models import ExtractionRun
from annotation.models import Study


class RunFilterForm(forms.Form):
    """Which runs to show."""

    model = forms.ChoiceField(label="Model", required=False)
    method = forms.ChoiceField(label="Method", required=False)
    case = forms.ChoiceField(label="Case", required=False)

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        found = set(
            ExtractionRun.objects.filter(case__study=study).values_list(
                "model", "method", "case__external_id"
            )
        )
        methods = {method for _, method, _ in found}
        labels = ExtractionRun.Method.choices
        self._offer("model", "Any model", sorted({(model, model) for model, _, _ in found}))
        self._offer("method", "Any method", [pair for pair in labels if pair[0] in methods])
        cases = sorted({case for _, _, case in found}, key=lambda case: (len(case), case))
        self._offer("case", "Any case", [(case, case) for case in cases])

    def _offer(self, name: str, nothing: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = [("", nothing), *choices]  # type: ignore[attr-defined]

    def wanted(self) -> RunFilter:
        """The filter; a value that is not offered filters nothing."""
        self.is_valid()
        return RunFilter(**{name: value for name, value in self.cleaned_data.items() if value})
