"""The form that takes data out."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.models import Study, TaskSet
from evaluation.exporting.rows import DRAFTS, FLAGGED, SKIPPED, SUPERSEDED
from evaluation.exporting.services import (
    ANSWERS,
    BUNDLE,
    CSV,
    LABEL_STUDIO,
    RELEASE,
    THRESH,
    Wanted,
)

FORMAT_LABELS = {
    BUNDLE: "Bundle: everything, lossless, can be imported again (JSONL)",
    CSV: "Tables: one row an answer, a value, a quote, a verdict (CSV)",
    ANSWERS: "Answer files in the shape of the original comparison and style tools (JSON)",
    LABEL_STUDIO: "Label Studio projects: tasks, answers and what they ask (JSON, XML)",
    THRESH: "Extraction tasks in the paragraph tool's shape (JSON)",
    RELEASE: "Summaries, checklists and verdicts in the folders of a release (JSON)",
}
INCLUDE_LABELS = {
    SKIPPED: "skipped tasks",
    FLAGGED: "answers flagged as a problem",
    DRAFTS: "drafts in progress (tables only)",
    SUPERSEDED: "earlier versions of answers",
}


class ExportForm(forms.Form):
    """Which format, of which task set, with what beside the submitted answers."""

    format = forms.ChoiceField(
        choices=list(FORMAT_LABELS.items()), widget=forms.RadioSelect, initial=BUNDLE
    )
    task_set = forms.ModelChoiceField(
        queryset=TaskSet.objects.none(),
        to_field_name="key",
        required=False,
        empty_label="All",
        help_text="A bundle always holds all of them.",
    )
    include = forms.MultipleChoiceField(
        choices=list(INCLUDE_LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Include as well",
        help_text="Left out of tables and answer files unless ticked; a bundle always has them.",
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = study.task_sets.order_by("key")
        self.fields["task_set"].queryset = sets  # type: ignore[attr-defined]

    def wanted(self) -> Wanted:
        """What a valid form asks for."""
        data = self.cleaned_data
        return Wanted(data["format"], data["task_set"], frozenset(data["include"]))
