"""The page of verdicts that came from files."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Checklist, ChecklistItem, ChecklistValue, Study
from evaluation.models import ChecklistComparison, ItemVerdict
from tests.factories import make_case, make_member, make_summary

RECOVERED = {
    "item_key": "trials", "form": "list", "orientation": "recovered", "first_side": "reference",
    "status": "read", "n_model": 2, "n_reference": 3,
    "payload": {"form": "list", "pairs": [[0, 2]], "only_model": [1], "only_reference": [0, 1]},
    "shown": {"form": "list", "pairs": [[2, 0]], "only_a": [0, 1], "only_b": [1]},
    "raw": {"common": [{"A_index": 3, "B_index": 1}], "only_in_A": [1, 2], "only_in_B": [1, 2]},
    "repairs": {"matched_and_only": 1},
}  # fmt: skip
UNKNOWN = {
    "item_key": "filing_date", "form": "single", "orientation": "unknown", "status": "read",
    "reason": "Nobody wrote down which was the model.", "raw": "A contains B",
    "shown": {"form": "single", "relation": "a_contains_b"}, "n_model": 1, "n_reference": 1,
}  # fmt: skip
UNREAD = {
    "item_key": "appeals", "orientation": "unknown", "status": "not_scored", "raw": "<b>both</b>",
    "reason": "It is none of the verdicts that there are.", "repairs": {"unreadable_verdict": 1},
}  # fmt: skip


@pytest.fixture
def page(study: Study, client: Client) -> Any:
    client.force_login(make_member(study, "researcher", "ada"))
    case = make_case(study, "77")
    made = Checklist.objects.create(
        case=case,
        summary=make_summary(case, "Two.", producer="m-one"),
        producer_kind="judge",
        producer="ex",
        template=study.template,
    )
    item = ChecklistItem.objects.create(checklist=made, item_key="trials", state="values")
    for position, text in enumerate(("a bench trial", "a jury <trial>")):
        ChecklistValue.objects.create(item=item, position=position, text=text)
    comparison = ChecklistComparison.objects.create(
        case=case, comparer="judge-a", model_name="m-one", extractor="ex", model_checklist=made,
        source_file="data/evaluation/x.json",
    )  # fmt: skip
    other = ChecklistComparison.objects.create(
        case=case, comparer="judge-b", model_name="m-two", extractor="m-two", method="end_to_end"
    )
    for fields in (RECOVERED, UNKNOWN):
        ItemVerdict.objects.create(comparison=comparison, **fields)
    ItemVerdict.objects.create(comparison=other, **UNREAD)
    return lambda **query: client.get(f"/studies/{study.slug}/verdicts/", query)


def shown(response: Any) -> list[str]:
    return [row.verdict.item_key for row in response.context["rows"]]


def test_each_row_shows_values_verdict_cell_and_repairs(page: Any) -> None:
    response = page(item="trials")
    (row,) = response.context["rows"]
    assert (row.model.values, row.model.why_none) == (["a bench trial", "a jury <trial>"], "")
    assert (
        row.reference.why_none
        == "This checklist is not in the study. By what judges say of it, it had 3."
    )
    assert row.lines == ["model 1 – reference 3", "only in the model: 2",
                         "only in the reference: 1, 2"]  # fmt: skip
    text = response.content.decode()
    assert "a jury &lt;trial&gt;" in text
    assert "A was the reference" in text
    assert "A value was both matched and unmatched; it counts as matched." in text
    assert "&quot;only_in_A&quot;" in text
    assert "data/evaluation/x.json" in text


def test_a_verdict_that_cannot_be_oriented_stays_one_of_a_and_b(page: Any) -> None:
    response = page(item="filing_date")
    (row,) = response.context["rows"]
    assert row.lines == ["A contains B"]
    assert row.model.why_none == "This checklist has no such item."
    assert "Nobody wrote down which was the model." in response.content.decode()


def test_what_could_not_be_read_says_why_and_is_escaped(page: Any) -> None:
    text = page(item="appeals").content.decode()
    assert "Not scored. It is none of the verdicts that there are." in text
    assert "&lt;b&gt;both&lt;/b&gt;" in text


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ({}, ["appeals", "filing_date", "trials"]),
        ({"comparer": "judge-a"}, ["filing_date", "trials"]),
        ({"work": "m-two (end to end)"}, ["appeals"]),
        ({"work": "m-one", "item": "trials"}, ["trials"]),
        ({"orientation": "recovered"}, ["trials"]),
        ({"orientation": "unknown"}, ["appeals", "filing_date"]),
        ({"reading": "repaired"}, ["appeals", "trials"]),
        ({"reading": "as_written"}, ["filing_date"]),
        ({"reading": "no_answer"}, ["appeals", "filing_date"]),
        # what is not offered filters nothing
        ({"comparer": "nobody", "orientation": "sideways", "page": "x"},
         ["appeals", "filing_date", "trials"]),
    ],
)  # fmt: skip
def test_filters(page: Any, query: dict[str, str], keys: list[str]) -> None:
    assert shown(page(**query)) == keys


def test_nothing_to_show(page: Any) -> None:
    assert "No verdict fits" in page(item="judge_name").content.decode()


def test_queries_do_not_grow_with_the_rows(
    page: Any, study: Study, django_assert_max_num_queries: Any
) -> None:
    comparison = ChecklistComparison.objects.get(comparer="judge-a")
    for number in range(30):
        ItemVerdict.objects.create(comparison=comparison, **(UNKNOWN | {"item_key": f"k{number}"}))
    with django_assert_max_num_queries(13):
        assert len(shown(page())) == 25


def test_the_study_page_leads_here(page: Any, study: Study, client: Client) -> None:
    assert (
        f"/studies/{study.slug}/verdicts/" in client.get(f"/studies/{study.slug}/").content.decode()
    )
    client.force_login(make_member(study, "annotator", "bob"))
    assert "/verdicts/" not in client.get(f"/studies/{study.slug}/").content.decode()
