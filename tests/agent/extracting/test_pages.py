"""Looking at extraction runs."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from agent.extracting.showing import LONGEST, StepWords, step_words
from agent.models import ExtractionRun, RunStep
from annotation.models import Checklist, ChecklistItem, ChecklistValue, Study
from tests.factories import make_case, make_member, make_study

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


@pytest.fixture
def reader(study: Study) -> Client:
    client = Client()
    client.force_login(make_member(study, "researcher", "rhea"))
    return client


def make_extraction(study: Study, case_id: str = "77", **fields: Any) -> ExtractionRun:
    case = make_case(study, case_id)
    return ExtractionRun.objects.create(
        **({"case": case, "source": "imported", "model": "m-one", "method": "all"} | fields)
    )


def checklist_of(run: ExtractionRun, *texts: str) -> Checklist:
    checklist = Checklist.objects.create(
        case=run.case, producer_kind="agent", producer=run.model, template=run.case.study.template
    )
    item = ChecklistItem.objects.create(checklist=checklist, item_key="trials", state="values")
    for position, text in enumerate(texts):
        ChecklistValue.objects.create(item=item, position=position, text=text)
    run.checklist = checklist
    run.save()
    return checklist


def cells(page: str, run: ExtractionRun) -> list[str]:
    (row,) = re.findall(rf"/extractions/{run.pk}/.*?</tr>", page, re.DOTALL)
    return re.findall(r'num">(?:<span class="undefined">)?(.*?)</', row)


def test_the_runs_with_their_numbers(study: Study, reader: Client) -> None:
    counted = make_extraction(
        study, steps=7, prompt_tokens=1_735_777, completion_tokens=0, unit="Type_of_Counsel"
    )
    checklist_of(counted, "a", "b")
    bare = make_extraction(study, "78")
    page = reader.get("/studies/study/extractions/").content.decode()
    assert cells(page, counted) == ["7", "1,735,777", "0", "2"]
    assert cells(page, bare) == ["not given", "not given", "not given", "no checklist"]
    assert "Type of Counsel" in page


@pytest.mark.parametrize(
    ("query", "units"),
    [
        ({}, ["one", "two", "three"]),
        ({"model": "m-two"}, ["two"]),
        ({"method": "grouped"}, ["three"]),
        ({"case": "77"}, ["one", "two"]),
        ({"case": "77", "model": "m-one"}, ["one"]),
        # what is not offered filters nothing
        ({"case": "nowhere", "method": "end_to_end", "page": "x"}, ["one", "two", "three"]),
    ],
)
def test_filters(study: Study, reader: Client, query: dict[str, str], units: list[str]) -> None:
    make_extraction(study, unit="one")
    make_extraction(study, unit="two", model="m-two")
    make_extraction(study, "78", unit="three", method="grouped")
    found = reader.get("/studies/study/extractions/", query).context["page_obj"]
    assert [run.unit for run in found] == units


def test_nothing_to_show_and_nothing_of_another_study(study: Study, reader: Client) -> None:
    other = make_extraction(make_study("other"))
    assert "No extraction run fits" in reader.get("/studies/study/extractions/").content.decode()
    assert reader.get(f"/studies/study/extractions/{other.pk}/").status_code == 404


def test_a_run_step_by_step(study: Study, reader: Client) -> None:
    run = make_extraction(study, stats={"model": HOSTILE})
    checklist = checklist_of(run, "a")
    for kind, position, step, name in (
        ("event", 0, 1, "list_documents"),
        ("event", 1, 2, "stop"),
        ("answer", 0, 1, "list_documents"),
        ("answer", 1, None, "read_document"),
    ):
        RunStep.objects.create(
            run=run, kind=kind, position=position, step=step, name=name, text=HOSTILE,
            content={"event": {"args": {"reason": HOSTILE}, "result": None, "success": False}},
        )  # fmt: skip
    page = reader.get(f"/studies/study/extractions/{run.pk}/").content.decode()
    heads = re.findall(r"<h3>((?:No s|S)tep .*?)</h3>", page)
    assert heads == [
        "Step 1 · Answer of the model: <bdi>list documents</bdi>",
        "Step 1 · Tool used: <bdi>list documents</bdi>",
        "Step 2 · Tool used: <bdi>stop</bdi>",
        "No step · Answer of the model: <bdi>read document</bdi>",
    ]
    assert f"/studies/study/checklists/{checklist.pk}/" in page
    assert HOSTILE not in page
    # The account; for each step its words, its text and its entry.
    assert page.count(html.escape(HOSTILE)) == 1 + 4 * 3
    assert page.count("Failed or could not be read.") == 4


def test_queries_do_not_grow(
    study: Study, reader: Client, django_assert_max_num_queries: Any
) -> None:
    runs = [make_extraction(study, unit=f"u{number}") for number in range(40)]
    RunStep.objects.bulk_create(
        RunStep(run=runs[0], kind="event", position=number) for number in range(120)
    )
    with django_assert_max_num_queries(9):
        assert len(reader.get("/studies/study/extractions/").context["page_obj"]) == 40
    with django_assert_max_num_queries(9):
        page = reader.get(f"/studies/study/extractions/{runs[0].pk}/")
    assert len(page.context["steps"]) == 100
    rest = reader.get(f"/studies/study/extractions/{runs[0].pk}/?page=2")
    assert len(rest.context["steps"]) == 20


def test_the_study_page_leads_here_those_who_may(study: Study, reader: Client) -> None:
    assert "/studies/study/extractions/" in reader.get("/studies/study/").content.decode()
    reader.force_login(make_member(study, "annotator", "bob"))
    assert "/extractions/" not in reader.get("/studies/study/").content.decode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"event": {"args": {"doc_name": "Order"}, "result": {"tokens_read": 9}, "step": 1}},
         StepWords("doc name: Order", "tokens read: 9")),
        ({"event": {"tool_name": "stop", "doc_name": "all", "flags": ["I"], "matches_found": 29}},
         StepWords('doc name: all; flags: ["I"]', "matches found: 29")),
        ({"event": {"args": "as text", "result": [1, 2], "success": False}},
         StepWords("as text", "[1, 2]", failed=True)),
        ({"parsed_action": {"tool": "t", "args": {"a": None, "b": 0}}}, StepWords("b: 0")),
        ({"parsed_action": {"args": None, "decision": "stop", "reason": "Done."}},
         StepWords("decision: stop; reason: Done.")),
        ({"parsed_action": {"parse_failed": True}}, StepWords(failed=True)),
        ({"event": "odd", "parsed_action": None}, StepWords()),
        ([1], StepWords()),
        (None, StepWords()),
    ],
)  # fmt: skip
def test_the_words_of_a_step(content: object, words: StepWords) -> None:
    assert step_words(content) == words


def test_long_words_are_cut() -> None:
    exact = step_words({"event": {"args": "x" * LONGEST}}).arguments
    longer = step_words({"event": {"args": "x" * (LONGEST + 1)}}).arguments
    assert exact == "x" * LONGEST
    assert longer == "x" * (LONGEST - 1) + "…"
