"""Looking at cases and checklists."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

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
    assert re.findall(r'num">(\d+)</td>', line) == ["1", "2"]
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
