"""What the producers of rows share: the study, its people, its texts, and the check of quotes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from annotation.errors import Refused
from annotation.models import Checklist, ChecklistVersion, Study
from evaluation.exporting.bundle import ChecklistRef, TemplateRef, moment_text
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


def producer_of(source: Source, kind: str, producer: str) -> str:
    """How rows name the producer of a checklist: a person by pseudonym."""
    is_person = kind == Checklist.Producer.ANNOTATOR
    return source.people.instead_of(producer) if is_person else producer


def checklist_ref(source: Source, checklist: Checklist | None, case: int) -> ChecklistRef | None:
    """How rows of a case name one of its checklists (loaded with its summary).

    Raises ``Refused`` when it is a checklist of another case.
    """
    if checklist is None:
        return None
    if checklist.case_id != case:
        raise Refused(
            f"The checklist {checklist} is named by a row of another case. Nothing was written. "
            "Mend the row in the database first."
        )
    return ChecklistRef(
        summary=checklist.summary.producer if checklist.summary else None,
        producer_kind=checklist.producer_kind,
        producer=producer_of(source, checklist.producer_kind, checklist.producer),
        method=checklist.method,
    )


def moment_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else moment_text(moment)


def day_or_none(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
