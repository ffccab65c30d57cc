"""Evidence that waited for its document: found when it comes, as if it had been there first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from annotation.importing.cancelling import Cancelled
from annotation.importing.cases import import_cases
from annotation.importing.evidence import DocumentNames, NamedDocument, seek_evidence
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistValue,
    Evidence,
    ImportReport,
    SourceDocument,
    Study,
    Summary,
)
from tests.factories import make_study

ORDER = (
    "The Court\u2019s order of April 7 was vacated. The appeal was denied with prejudice in 2023."
)
DOCKET = "04/07/2023 COMPLAINT filed. 05/01/2023 ORDER granting the motion to dismiss."
NOT_SOUGHT = Evidence.Found.NOT_SOUGHT


def waiting(case: Case, *quotes: tuple[str, str], summary: Summary | None = None) -> ChecklistValue:
    """A value whose evidence nobody could look for: pairs of quote and name of its document."""
    checklist, _ = Checklist.objects.get_or_create(
        case=case,
        summary=summary,
        producer_kind=Checklist.Producer.AGENT,
        producer="agent-one",
        template=case.study.template,
    )
    item, _ = ChecklistItem.objects.get_or_create(
        checklist=checklist, item_key="appeals", state=ChecklistItem.State.VALUES
    )
    value = ChecklistValue.objects.create(item=item, position=item.values.count(), text="v")
    for position, (quote, name) in enumerate(quotes):
        Evidence.objects.create(
            value=value,
            position=position,
            quote=quote,
            found=NOT_SOUGHT,
            source_name=name,
            location=f"page {position}",
        )
    return value


def documents(case: Case, *named: tuple[str, str, str]) -> None:
    """Name, title and text."""
    for position, (name, title, text) in enumerate(named, start=1):
        SourceDocument.objects.create(
            case=case,
            name=name,
            position=position,
            text=text,
            original_sha256="0" * 64,
            metadata={"title": title} if title else {},
        )


def rows(value: ChecklistValue) -> list[tuple[str, str, str | None]]:
    """How each quote was found, what the text says there, and in which document."""
    told = []
    for row in value.evidence.order_by("position"):
        if row.start is not None:
            assert row.document is not None
            assert row.document.text[row.start : row.end] == row.quote
        told.append((row.found, row.quote, row.document and row.document.name))
    assert [row.position for row in value.evidence.order_by("position")] == list(range(len(told)))
    return told


@pytest.fixture
def case(db: None) -> Case:
    return Case.objects.create(study=make_study(), external_id="1")


def test_waiting_evidence_is_found_in_its_document(case: Case) -> None:
    documents(case, ("Order", "", ORDER), ("Docket", "", DOCKET))
    exact = waiting(case, ("The appeal was denied", "Order"), ("COMPLAINT filed", "Docket"))
    typed = waiting(case, ("the court's ORDER", "order "))
    mistyped = waiting(case, ("The apeal was denied with prejudise in 2023", "Order"))
    absent = waiting(case, ("The jury awarded two million dollars", "Order"))
    unknown = waiting(case, ("The appeal was denied", "search results"), ("denied", "Order"))
    blank = waiting(case, ("  ", "Order"))
    assert seek_evidence(case) == {
        "evidence_exact": 3,
        "evidence_normalised": 1,
        "evidence_fuzzy": 1,
        "evidence_not_found": 1,
        "evidence_not_sought": 2,
    }
    assert rows(exact) == [
        ("exact", "The appeal was denied", "Order"),
        ("exact", "COMPLAINT filed", "Docket"),
    ]
    assert exact.metadata == {}
    assert rows(typed) == [("normalised", "The Court\u2019s order", "Order")]
    typed.refresh_from_db()
    assert typed.metadata["evidence"] == [
        {"text": "the court's ORDER", "source_document": "order ", "location": "page 0"}
    ]
    assert rows(mistyped) == [("fuzzy", "The appeal was denied with prejudice in 2023", "Order")]
    assert rows(absent) == [("not_found", "The jury awarded two million dollars", "Order")]
    assert rows(unknown) == [
        ("not_sought", "The appeal was denied", None),
        ("exact", "denied", "Order"),
    ]
    assert rows(blank) == [("not_sought", "  ", None)]


def test_looking_again_changes_nothing(case: Case) -> None:
    documents(case, ("Order", "", ORDER))
    value = waiting(case, ("the court's order ... denied with prejudice", "Order"), ("x", "Gone"))
    seek_evidence(case)
    before = (rows(value), list(Evidence.objects.order_by("pk").values()))
    assert before[0] == [
        ("normalised", "The Court\u2019s order", "Order"),
        ("normalised", "denied with prejudice", "Order"),
        ("not_sought", "x", None),
    ]
    assert seek_evidence(case) == {"evidence_not_sought": 1}
    assert (rows(value), list(Evidence.objects.order_by("pk").values())) == before
    # The last document arrives: what the file said of the others is still known.
    documents_before = value.metadata
    SourceDocument.objects.create(
        case=case, name="Gone", position=9, text="x", original_sha256="0" * 64
    )
    assert seek_evidence(case) == {"evidence_exact": 1}
    assert rows(value)[2] == ("exact", "x", "Gone")
    value.refresh_from_db()
    assert [told["text"] for told in value.metadata["evidence"]] == [
        "the court's order ... denied with prejudice",
        "x",
    ]
    assert documents_before == {}


def test_a_title_that_several_share_means_each_of_them(case: Case) -> None:
    documents(
        case, ("Order (001)", "Order", "First. Both."), ("Order (002)", "Order", "Second. Both.")
    )
    second = waiting(case, ("Second", "order"))
    both = waiting(case, ("Both", "Order"), ("nowhere at all in these", "Order"))
    named = waiting(case, ("Both", "Order (002)"))
    seek_evidence(case)
    assert rows(second) == [("exact", "Second", "Order (002)")]
    assert rows(both) == [
        ("exact", "Both", "Order (001)"),
        ("not_found", "nowhere at all in these", None),
    ]
    assert rows(named) == [("exact", "Both", "Order (002)")]


def test_evidence_of_a_summary_does_not_wait_for_documents(case: Case) -> None:
    documents(case, ("Order", "", ORDER))
    summary = Summary.objects.create(
        case=case,
        kind="reference",
        producer="reference",
        text="x",
        original_sha256="0",
        word_count=1,
    )
    value = waiting(case, ("denied", "Order"), summary=summary)
    assert seek_evidence(case) == {}
    assert rows(value) == [("not_sought", "denied", None)]


def test_evidence_of_another_case_stays(case: Case) -> None:
    other = Case.objects.create(study=case.study, external_id="2")
    documents(case, ("Order", "", ORDER))
    value = waiting(other, ("denied", "Order"))
    assert seek_evidence(case) == {}
    assert seek_evidence(other) == {"evidence_not_sought": 1}
    assert rows(value)[0][0] == "not_sought"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Docket", [1]),
        ("docket", [1]),
        ("DOCKET [PACER]", [2]),
        ("Docket (PACER)", [2]),
        ("Order", [4, 5]),
        ("Order (001)", [4]),
        ("Complaint", [3]),
        ("complaint.txt", [3]),
        ("Orders of Judge Woodcock", []),
        ("", []),
        ("--", []),
    ],
)
def test_names_of_documents(asked: str, meant: Sequence[int]) -> None:
    names = DocumentNames(
        [
            NamedDocument(1, "Docket"),
            NamedDocument(2, "Docket [PACER]"),
            NamedDocument(3, "complaint.txt", "Complaint"),
            NamedDocument(4, "Order (001)", "Order"),
            NamedDocument(5, "Order (002)", "Order"),
        ]
    )
    assert names.meant_by(asked) == meant


def bring(path: Path, study: Study, **options: object) -> ImportReport:
    import_cases([path], study, count_tokens=len, **options)  # type: ignore[arg-type]
    return ImportReport.objects.latest("pk")


def test_an_import_of_documents_looks_for_what_waited(case: Case, tmp_path: Path) -> None:
    value = waiting(case, ("denied with prejudice", "order.txt"), ("x", "Docket"))
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "order.txt").write_text(ORDER, encoding="utf-8")
    report = bring(tmp_path / "1", case.study)
    assert rows(value)[0] == ("exact", "denied with prejudice", "order.txt")
    found = report.report["totals"]["found"]
    assert (found["evidence_exact"], found["evidence_not_sought"]) == (1, 1)


def test_whoever_cancels_the_looking_keeps_the_documents_and_their_report(
    case: Case, tmp_path: Path
) -> None:
    value = waiting(case, ("denied with prejudice", "order.txt"))
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "order.txt").write_text(ORDER, encoding="utf-8")

    def progress(done: int, total: int) -> None:
        if SourceDocument.objects.count():
            raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        bring(tmp_path / "1", case.study, progress=progress)
    assert SourceDocument.objects.count() == 1
    assert ImportReport.objects.count() == 1
    assert rows(value)[0][0] == "not_sought"
    bring(tmp_path / "1", case.study)
    assert rows(value)[0][0] == "exact"
