"""Forms of a person's own account."""

from __future__ import annotations

import zoneinfo

from django import forms

from annotation.models import User


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
