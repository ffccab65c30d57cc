"""Checklists of documents, and the documents: whichever comes first, the same is stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.importing.cases import import_cases
from annotation.models import Evidence, Study
from evaluation.releasing.services import import_release
from tests.factories import make_study

pytestmark = pytest.mark.django_db

TITLES = ["Docket", "Order", "Order"]
TEXTS = [
    "04/07/2023 COMPLAINT filed.",
    "The Court\u2019s order was vacated. The appeal was denied with prejudice.",
    "So ordered.",
]
QUOTES = [
    ("COMPLAINT filed", "docket"),
    ("the court's order ... denied with prejudice", "Order (001)"),
    ("The jury awarded two million dollars", "Docket"),
    ("So ordered", "search results"),
    (" ", "Docket"),
    ("denied", ""),
]


def checklists(folder: Path) -> Path:
    evidence = [
        {"text": t, "source_document": name, "location": "p. 1" if name else ""}
        for t, name in QUOTES
    ]
    item = {"key": "Filing_Date", "extracted": [{"value": "April 7", "evidence": evidence}]}
    path = folder / "data" / "document_checklists" / "gavel_agent" / "m" / "1" / "all" / "x"
    path.mkdir(parents=True)
    (path / "checklist.json").write_text(json.dumps({"Filing_Date": item}), encoding="utf-8")
    return folder


def documents(folder: Path) -> Path:
    case = {"case_id": "1", "case_documents_text": TEXTS, "case_documents_title": TITLES}
    path = folder / "cases.json"
    path.write_text(json.dumps([case]), encoding="utf-8")
    return path


def evidence_of(study: Study) -> list[tuple[object, ...]]:
    rows = Evidence.objects.filter(value__item__checklist__case__study=study)
    return list(
        rows.order_by("value__position", "position").values_list(
            "position", "found", "start", "end", "quote", "document__name", "source_name",
            "location", "value__metadata",
        )
    )  # fmt: skip


def test_the_order_of_imports_does_not_matter(tmp_path: Path) -> None:
    release, cases = checklists(tmp_path), documents(tmp_path)
    first, later = make_study("first"), make_study("later")
    import_cases([cases], first, count_tokens=len)
    import_release(release, first)
    import_release(release, later)
    assert {row[1] for row in evidence_of(later)} == {"not_sought"}
    import_cases([cases], later, count_tokens=len)
    assert evidence_of(later) == evidence_of(first)
    # The quote with the ellipsis has two rows; a blank one and one of nowhere are not looked for.
    kinds = ["exact", "normalised", "normalised", "not_found", *["not_sought"] * 3]
    assert [row[1] for row in evidence_of(later)] == kinds
