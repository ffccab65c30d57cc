"""Coverage: from checklists of people and judges to figures, pages and files."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest
from django.test import Client

from annotation.importing.checklists import store_items
from annotation.kinds.extraction import Value
from annotation.models import Checklist, Evidence, Study, Summary, User
from evaluation.meta_evaluating.pages import covered_pieces
from evaluation.meta_evaluating.services import meta_evaluate
from evaluation.meta_evaluating.tables import covered_summaries
from tests.evaluation.exporting.studies import GOLDEN
from tests.factories import make_case, make_member, make_study, make_summary, make_task_set

pytestmark = pytest.mark.django_db

TEXT = "The suit was filed in May and it was settled"  # ten words


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


@pytest.fixture
def reader(study: Study) -> User:
    return make_member(study, "researcher", "rhea")


def extracted(summary: Summary, kind: str, producer: str, *quotes: str) -> Checklist:
    text = summary.text
    checklist = Checklist.objects.create(
        case=summary.case,
        summary=summary,
        producer_kind=kind,
        producer=producer,
        template=summary.case.study.template,
    )
    spans = [(text.index(quote), text.index(quote) + len(quote), quote) for quote in quotes]
    evidence = [{"start": s, "end": e, "quote": q} for s, e, q in spans]
    store_items(
        checklist, {"filing_date": [Value.model_validate({"text": "May", "evidence": evidence})]}
    )
    return checklist


@pytest.fixture
def both(study: Study) -> tuple[Summary, Checklist]:
    summary = make_summary(make_case(study), TEXT)
    extracted(summary, "gold", "human", "suit was filed", "settled")
    return summary, extracted(summary, "judge", "gpt", "filed in May")


def test_words_of_people_and_judge(study: Study, both: tuple[Summary, Checklist]) -> None:
    (row,) = covered_summaries(study)["gpt"]
    #           The suit was filed in May and it was settled
    assert row.human == [0, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    assert row.judge == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    assert (row.same, row.share, row.unlocated, row.anchored) == (5, 0.5, 0, False)


def test_quotes_that_were_not_located_cover_nothing_and_are_counted(
    study: Study, both: tuple[Summary, Checklist]
) -> None:
    value = both[1].items.get().values.get()
    Evidence.objects.create(value=value, position=9, quote="nowhere", found="not_found")
    (row,) = covered_summaries(study)["gpt"]
    assert (sum(row.judge), row.unlocated) == (3, 1)


def test_a_judge_that_people_started_from_is_marked(
    study: Study, both: tuple[Summary, Checklist]
) -> None:
    task_set = make_task_set(study, "paragraphs", kind="extraction")
    task_set.tasks.create(
        key="p",
        position=1,
        case=both[0].case,
        summary=both[0],
        content={"seed_source": "gpt"},
        content_hash="0",
    )
    rows = [row for row in meta_evaluate(study).rows if row["task"] == "extraction"]
    assert {row["metric"]: row["value"] for row in rows} == {
        "coverage": 0.5,
        "coverage_macro": 0.5,
        "coverage_kappa": pytest.approx((0.5 - 0.54) / (1 - 0.54)),
    }
    assert [row["anchored"] for row in rows] == [True] * 3
    assert [row["task_set"] for row in rows] == [None] * 3
    assert meta_evaluate(study, judge="gpt").rows == rows


def test_summaries_without_both_sides_do_not_enter(study: Study) -> None:
    summary = make_summary(make_case(study), TEXT)
    extracted(summary, "judge", "gpt", "settled")
    assert covered_summaries(study) == {}


def test_the_text_is_cut_where_evidence_begins_and_ends() -> None:
    pieces = covered_pieces("abcdef", [(0, 2), (1, 3)], [(2, 4)])
    assert [(piece.text, piece.by) for piece in pieces] == [
        ("ab", "people"),
        ("c", "both"),
        ("d", "judge"),
        ("ef", ""),
    ]
    assert covered_pieces("", [], []) == []


def test_the_pages_lead_from_the_figure_to_the_text(
    study: Study, reader: User, both: tuple[Summary, Checklist]
) -> None:
    client = Client()
    client.force_login(reader)
    path = f"/studies/{study.slug}/agreement/coverage/"
    page = client.get(path).content.decode()
    assert "0.500" in page
    text_path = f"{path}{both[1].pk}/"
    assert text_path in page
    text = client.get(text_path).content.decode()
    assert '<mark class="cover cover-both">' in text
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}?format=rows").content.decode())))
    assert [
        (row["case"], row["words"], row["people"], row["judge_words"], row["same"]) for row in rows
    ] == [("1001", "10", "4", "3", "5")]
    figures = client.get(f"{path}?format=csv").content.decode()
    assert figures.count("gpt,") == 3


def test_hostile_text_is_escaped(study: Study, reader: User) -> None:
    summary = make_summary(make_case(study), f"<script>alert(1)</script> {TEXT}")
    extracted(summary, "gold", "human", "settled")
    judged = extracted(summary, "judge", "<b>gpt</b>", "settled")
    client = Client()
    client.force_login(reader)
    page = client.get(f"/studies/{study.slug}/agreement/coverage/{judged.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "<b>gpt" not in page


@pytest.mark.parametrize(("text", "quote", "start", "end"), GOLDEN)
def test_what_the_page_marks_is_the_quote(
    study: Study, reader: User, text: str, quote: str, start: int, end: int
) -> None:
    summary = make_summary(make_case(study), text)
    for kind in ("gold", "judge"):
        judged = extracted(summary, kind, kind, quote)
    place = Evidence.objects.filter(value__item__checklist=judged).get()
    assert (place.start, place.end, text[place.start : place.end]) == (start, end, quote)
    client = Client()
    client.force_login(reader)
    page = client.get(f"/studies/{study.slug}/agreement/coverage/{judged.pk}/").content.decode()
    (shown,) = re.findall(r'covered-text">(.*?)</div>', page, re.DOTALL)
    (marked,) = re.findall(r'data-by="both">(.*?)</mark>', shown, re.DOTALL)
    assert html.unescape(marked) == quote
    assert html.unescape(re.sub(r"</?mark[^>]*>", "", shown)) == text


def test_a_study_without_checklists_says_what_is_missing(study: Study, reader: User) -> None:
    client = Client()
    client.force_login(reader)
    page = client.get(f"/studies/{study.slug}/agreement/coverage/").content.decode()
    assert "Nothing to lay side by side yet" in page
