"""The forms of an upload: which files, of which format, with which settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.importing.formats import FormatField, ImportFormat, formats
from annotation.importing.uploads import MB, limit_sentence

LONGEST = 200
# No column that a whole number goes into holds more.
_LARGEST = 2**31 - 1


class ManyFiles(forms.ClearableFileInput):
    """A file input that takes several."""

    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """All files of an input, as a list."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            widget=ManyFiles(attrs={"multiple": True}), allow_empty_file=True, **kwargs
        )

    def clean(self, data: Any, initial: Any = None) -> Any:
        given = data if isinstance(data, list | tuple) else [data]
        if not given:
            given = [None]
        clean = super().clean
        return [clean(file, initial) for file in given]


@dataclass(frozen=True)
class FormatRow:
    """One format to choose, with its own settings."""

    format: ImportFormat
    is_chosen: bool
    fields: list[forms.BoundField]

    @property
    def endings(self) -> str:
        """The endings of its files, and ZIP where a folder may come."""
        suffixes = list(self.format.suffixes)
        if self.format.takes_folders and ".zip" not in suffixes:
            suffixes.append(".zip")
        return ", ".join(suffixes)


class FormatForm(forms.Form):
    """A format and its settings; those of the other formats are ignored."""

    format = forms.ChoiceField(widget=forms.RadioSelect, label="What the files are")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["format"]
        choice.choices = [(one.key, one.label) for one in formats()]  # type: ignore[attr-defined]
        for one in formats():
            for field in one.fields:
                self.fields[_name(one, field)] = _form_field(field)

    def rows(self) -> Iterator[FormatRow]:
        """The formats with their fields, for the template."""
        chosen = str(self["format"].value() or "")
        for one in formats():
            bound = [self[_name(one, field)] for field in one.fields]
            yield FormatRow(one, one.key == chosen, bound)

    def clean(self) -> dict[str, Any]:
        """Errors in the settings of formats that were not chosen do not count."""
        super().clean()
        chosen = self.cleaned_data.get("format", "")
        for name in list(self.errors):
            if name not in ("upload", "format", "__all__") and not name.startswith(f"{chosen}-"):
                del self.errors[name]
        return self.cleaned_data

    def options(self) -> dict[str, Any]:
        """What was filled in for the chosen format, by the names of its fields."""
        chosen = self.cleaned_data.get("format", "")
        return {
            field.name: value
            for one in formats()
            if one.key == chosen
            for field in one.fields
            if (value := self.cleaned_data.get(_name(one, field))) not in (None, "")
        }


def initial_for(key: str, options: dict[str, Any]) -> dict[str, Any]:
    """``initial`` of a form that shows ``options`` of the format ``key``."""
    return {"format": key} | {f"{key}-{name}": value for name, value in options.items()}


class UploadForm(FormatForm):
    """Files, and what they are."""

    upload = ManyFilesField(label="Files", help_text="One file, several, or a ZIP of a folder.")
    field_order = ("upload", "format")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["format"]
        choice.required = False
        files = self.fields["upload"]
        files.help_text = f"One file, several, or a ZIP of a folder. {limit_sentence()}"
        files.widget.attrs |= {
            "data-max-bytes": settings.UPLOAD_MAX_MB * MB,
            "data-max-files": settings.UPLOAD_MAX_FILES,
        }

    def uploaded(self) -> list[UploadedFile]:
        """The files of a valid form."""
        return list(self.cleaned_data["upload"])


def _name(one: ImportFormat, field: FormatField) -> str:
    return f"{one.key}-{field.name}"


def _form_field(field: FormatField) -> forms.Field:
    shared: dict[str, Any] = {
        "label": field.label,
        "help_text": field.help,
        "initial": field.default,
        "required": False,
    }
    if field.choices:
        return forms.ChoiceField(choices=field.choices, **shared)
    if isinstance(field.default, int):
        return forms.IntegerField(min_value=0, max_value=_LARGEST, **shared)
    return forms.CharField(max_length=LONGEST, **shared)
