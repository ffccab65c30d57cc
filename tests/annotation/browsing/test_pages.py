"""Looking at cases and checklists."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.browsing.pages import columns, length_order
from annotation.importing.checklists import store_items
from annotation.kinds.extraction import Value
from annotation.models import Checklist, ChecklistItem, Evidence, SourceDocument, Study, Summary
from tests.evaluation.exporting.studies import GOLDEN
from tests.factories import make_case, make_member, make_study, make_summary

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


@pytest.fixture
def reader(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study, "researcher", "rhea"))
    return client


def extracted(summary: Summary, *values: tuple[str, str], producer: str = "gpt") -> Checklist:
    """A judge's checklist with these values of the filing date, each with its quote."""
    checklist = Checklist.objects.create(
        case=summary.case,
        summary=summary,
        producer_kind="judge",
        producer=producer,
        template=summary.case.study.template,
    )
    found = []
    for text, quote in values:
        start = summary.text.index(quote)
        span = {"start": start, "end": start + len(quote), "quote": quote}
        found.append(Value.model_validate({"text": text, "evidence": [span]}))
    store_items(checklist, {"appeals": [], "filing_date": found})
    return checklist


def test_the_cases_with_their_numbers(study: Study, reader: Client) -> None:
    case = make_case(study, title="A v. B", case_type="Prisons")
    make_case(study, "2002")
    for position in (1, 2):
        SourceDocument.objects.create(
            case=case, name=f"d{position}", position=position, text="x", original_sha256="0"
        )
    for producer in ("reference", "one", "two"):
        extracted(make_summary(case, "Filed in May.", producer), ("May", "May"))
    page = reader.get("/studies/study/cases/").content.decode()
    first, second = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", page, re.DOTALL)
    assert re.findall(r'num">(\d+)</td>', first) == ["2", "3", "3"]
    assert re.findall(r'num">(\d+)</td>', second) == ["0", "0", "0"]
    assert "2002" not in reader.get("/studies/study/cases/?q=prison").content.decode()
    assert "No case fits" in reader.get("/studies/study/cases/?q=nothing").content.decode()


def test_the_list_asks_as_often_for_many_as_for_few(study: Study, reader: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert reader.get("/studies/study/cases/").status_code == 200
        return len(captured)

    extracted(make_summary(make_case(study), "Filed in May."), ("May", "May"))
    few = queries()
    for number in range(30):
        extracted(make_summary(make_case(study, f"c{number}"), "Filed in May."), ("May", "May"))
    assert queries() == few


def test_a_case_leads_to_its_checklists(study: Study, reader: Client) -> None:
    checklist = extracted(make_summary(make_case(study), "Filed in May."), ("May", "May"))
    value = checklist.items.get(item_key="filing_date").values.get()
    for position, found in enumerate(("not_found", "not_sought"), start=5):
        Evidence.objects.create(value=value, position=position, quote="nowhere", found=found)
    page = reader.get(f"/studies/study/cases/{checklist.case_id}/").content.decode()
    (line,) = re.findall(rf"/studies/study/checklists/{checklist.pk}/.*?</tr>", page, re.DOTALL)
    assert re.findall(r'num">(\d+)</td>', line) == ["1", "1", "1", "1"]
    assert "The documents are not in the study." in page


def test_a_checklist_item_by_item(study: Study, reader: Client) -> None:
    checklist = extracted(make_summary(make_case(study), "Filed in May."), ("In May", "May"))
    ChecklistItem.objects.filter(checklist=checklist, item_key="appeals").update(
        metadata={"reasoning": HOSTILE}
    )
    page = reader.get(f"/studies/study/checklists/{checklist.pk}/").content.decode()
    labels = re.findall(r'<h2 id="item-\d+">(.*?)</h2>', page)
    assert labels == ["Filing date", "Appeals"]  # the order of the template
    assert "In May" in page
    assert '<span class="label">Exactly</span>' in page
    assert "Absent." in page
    assert "Never looked for: " in page
    assert HOSTILE not in page
    assert html.escape(HOSTILE) in page


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_what_the_page_marks_is_the_quote(
    study: Study, reader: Client, text: str, quote: str, start: int, end: int
) -> None:
    checklist = extracted(make_summary(make_case(study), text), ("v", quote))
    page = reader.get(f"/studies/study/checklists/{checklist.pk}/").content.decode()
    (shown,) = re.findall(r'covered-text">(.*?)</div>', page, re.DOTALL)
    (marked,) = re.findall(r'<mark class="evidence">(.*?)</mark>', shown, re.DOTALL)
    assert html.unescape(marked) == quote == text[start:end]
    assert html.unescape(re.sub(r"</?mark[^>]*>", "", shown)) == text


def ids(client: Client, query: str) -> list[str]:
    page = client.get(f"/studies/study/cases/?{query}").context["page_obj"]
    return [case.external_id for case in page]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["9", "10", "300"]),
        ("sort=-id", ["300", "10", "9"]),
        ("sort=tokens", ["300", "9", "10"]),  # 10 has no count: last both ways
        ("sort=-tokens", ["9", "300", "10"]),
        ("sort=-documents", ["300", "9", "10"]),
        ("sort=sideways", ["9", "10", "300"]),
        ("case_type=Prisons", ["9", "300"]),
        ("case_type=Prisons&length_bin=32K", ["300"]),
        ("case_type=Nothing&length_bin=7", ["9", "10", "300"]),  # not offered: filters nothing
        ("q=zeta", ["10"]),
    ],
)
def test_filters_and_order(study: Study, reader: Client, query: str, expected: list[str]) -> None:
    make_case(study, "9", case_type="Prisons", token_count=500, length_bin="128K")
    make_case(study, "10", title="Zeta v. Eta")
    last = make_case(study, "300", case_type="Prisons", token_count=40, length_bin="32K")
    SourceDocument.objects.create(case=last, name="d", position=1, text="x", original_sha256="0")
    assert ids(reader, query) == expected


def test_lengths_stand_by_size() -> None:
    bins = ["512K", "240K+", "32K", "1M", "88827", "odd"]
    assert sorted(bins, key=length_order) == ["odd", "32K", "88827", "240K+", "512K", "1M"]


def test_the_headings_turn_round() -> None:
    def of(sort: str) -> list[tuple[str, str]]:
        return [(column.turn, column.state) for column in columns(sort)[:2]]

    assert of("") == [("-id", "ascending"), ("title", "")]
    assert of("-id") == [("id", "descending"), ("title", "")]
    assert of("title") == [("id", ""), ("-title", "ascending")]


def test_the_cases_as_a_file_fit_the_filter(study: Study, reader: Client) -> None:
    make_case(study, "1", title="=1+1", case_type="Prisons", token_count=5)
    make_case(study, "2")
    response = reader.get("/studies/study/cases/?format=csv&case_type=Prisons")
    assert response.content.decode().splitlines() == [
        "case,title,filed,type,tokens,length,documents,summaries,checklists",
        "1,'=1+1,,Prisons,5,,0,0,0",
    ]
    assert response["Content-Disposition"] == 'attachment; filename="study-cases.csv"'


def test_texts_are_shown_as_they_are_stored(study: Study, reader: Client) -> None:
    text = f"  First\n\n\tline {HOSTILE} & more  "
    summary = make_summary(make_case(study), text)
    document = SourceDocument.objects.create(
        case=summary.case, name=HOSTILE, position=1, text=text, original_sha256="0"
    )
    case_page = reader.get(f"/studies/study/cases/{summary.case_id}/").content.decode()
    for path in (f"texts/summaries/{summary.pk}/", f"texts/documents/{document.pk}/"):
        assert f"/studies/study/{path}" in case_page
        page = reader.get(f"/studies/study/{path}").content.decode()
        (shown,) = re.findall(r'covered-text">(.*?)</div>', page, re.DOTALL)
        assert html.unescape(shown) == text
        assert HOSTILE not in page


def test_a_quote_leads_to_the_document_it_is_from(study: Study, reader: Client) -> None:
    checklist = extracted(make_summary(make_case(study), "Filed in May."), ("May", "May"))
    document = SourceDocument.objects.create(
        case=checklist.case, name="Order", position=1, text="In May.", original_sha256="0"
    )
    value = checklist.items.get(item_key="filing_date").values.get()
    place = {"source_name": "The Order", "quote": "May", "location": "page 2"}
    Evidence.objects.create(value=value, position=5, found="not_found", document=document, **place)
    Evidence.objects.create(value=value, position=6, found="not_sought", **place)
    page = reader.get(f"/studies/study/checklists/{checklist.pk}/").content.decode()
    link = f'<a href="/studies/study/texts/documents/{document.pk}/"><bdi>The Order</bdi></a>'
    assert page.count(link) == 1
    assert page.count("<bdi>The Order</bdi>") == 2
    assert page.count("<bdi>page 2</bdi>") == 2
