"""What the producers of rows share: the study, its people, its texts, and the check of quotes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from annotation.errors import Refused
from annotation.models import ChecklistVersion, Study
from evaluation.exporting.bundle import TemplateRef, moment_text
from evaluation.exporting.reading import Pseudonyms, Texts
from evaluation.exporting.rows import Quote

FEW = 20  # rows that may be large are read so many at a time


class Source:
    """One study being read. Use it inside ``one_view``."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.people = Pseudonyms(study)
        self.texts = Texts()


def require_right(row: str, quotes: Iterable[Quote], text: str) -> None:
    """Raise ``Refused``, naming ``row``, when a quote is not what ``text`` says there."""
    for quote in quotes:
        if fault := quote.fault(text):
            raise Refused(
                f"{row}: {fault}. Nothing was written. The row was changed behind Gavel's back; "
                "mend it in the database first."
            )


def template_ref(template: ChecklistVersion) -> TemplateRef:
    """How rows name a template version."""
    return TemplateRef(key=template.key, version=template.version)


def moment_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else moment_text(moment)


def day_or_none(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
