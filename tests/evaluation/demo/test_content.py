"""The demo study as it is shipped: whole, consistent, invented, and with known agreement."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from annotation.checklists.loader import load_builtin
from annotation.kinds import comparison, extraction, residual, style
from annotation.kinds.spans import Span
from evaluation.demo.content import load_demo
from evaluation.demo.study import KINDS, REFERENCE, DemoCase, DemoStudy, DemoTask

STUDY = load_demo()
SINGLE = [t for t in STUDY.tasks_of("comparison") if t.content["form"] == "single"]
LISTS = [t for t in STUDY.tasks_of("comparison") if t.content["form"] == "list"]


def task(key: str) -> DemoTask:
    return {task.key: task for task in STUDY.tasks}[key]


def relations(task: DemoTask) -> list[str]:
    return [answer.payload["relation"] for answer in task.answers]


def pairs(task: DemoTask) -> list[set[tuple[int, int]]]:
    return [{(m, r) for m, r in answer.payload["pairs"]} for answer in task.answers]


def spans_in(payload: Any) -> Iterator[dict[str, Any]]:
    """Everything in a payload that has the fields of a span."""
    if isinstance(payload, dict):
        if set(payload) == {"start", "end", "quote"}:
            yield payload
        for value in payload.values():
            yield from spans_in(value)
    elif isinstance(payload, list):
        for value in payload:
            yield from spans_in(value)


def test_the_study_has_the_promised_size() -> None:
    assert [annotator.key for annotator in STUDY.annotators] == ["ada", "ben", "chi"]
    assert [model.key for model in STUDY.models] == ["model-north", "model-south"]
    assert len(STUDY.cases) == 3
    assert Counter(task.kind for task in STUDY.tasks) == {
        "extraction": 3,
        "residual": 3,
        "comparison": 101,
        "style": 6,
    }
    assert (len(SINGLE), len(LISTS)) == (33, 68)
    assert len(STUDY.checklists) == 9


def test_keys_are_unique_and_tasks_stand_in_the_order_of_the_kinds() -> None:
    keys = [task.key for task in STUDY.tasks]
    assert len(set(keys)) == len(keys)
    order = [KINDS.index(task.kind) for task in STUDY.tasks]
    assert order == sorted(order)


def test_every_task_is_answered_once_by_each_annotator() -> None:
    for item in STUDY.tasks:
        assert [answer.annotator for answer in item.answers] == ["ada", "ben", "chi"], item.key


def test_every_content_and_answer_is_accepted_by_its_kind() -> None:
    keys = frozenset(load_builtin(STUDY.template).item_keys)
    for item in STUDY.tasks:
        summary = STUDY.case(item.case_id).summary(item.summary_key)
        for answer in item.answers:
            match item.kind:
                case "extraction":
                    extraction.Content.model_validate(item.content)
                    checklist = extraction.parse_answer(answer.payload)
                    extraction.check_answer(checklist, item_keys=keys, text=summary.text)
                    assert set(checklist.items) == keys
                case "residual":
                    residual.check_answer(
                        residual.parse_answer(answer.payload),
                        residual.Content.model_validate(item.content),
                    )
                case "comparison":
                    comparison.check_answer(
                        comparison.parse_answer(answer.payload),
                        comparison.Content.model_validate(item.content),
                    )
                case "style":
                    style.check_answer(style.parse_answer(answer.payload))


def test_every_span_is_what_its_summary_says_there() -> None:
    checked = 0
    for item in STUDY.tasks:
        text = STUDY.case(item.case_id).summary(item.summary_key).text
        for payload in (item.content, *(answer.payload for answer in item.answers)):
            for span in spans_in(payload):
                assert text[span["start"] : span["end"]] == span["quote"]
                checked += 1
    for checklist in STUDY.checklists:
        text = STUDY.case(checklist.case_id).summary(checklist.summary_key).text
        for span in spans_in(checklist.payload):
            assert text[span["start"] : span["end"]] == span["quote"]
            checked += 1
    assert checked > 900


def test_comparison_values_are_those_of_the_two_checklists() -> None:
    values = {
        (checklist.case_id, checklist.summary_key, item): [v["text"] for v in given["values"]]
        for checklist in STUDY.checklists
        for item, given in checklist.payload["items"].items()
    }
    asked = set()
    for item in STUDY.tasks_of("comparison"):
        asked.add((item.case_id, item.summary_key, item.item_key))
        assert item.content["model"] == values[item.case_id, item.summary_key, item.item_key]
        assert item.content["reference"] == values[item.case_id, REFERENCE, item.item_key]
    both_sides = {
        key
        for key, given in values.items()
        if key[1] != REFERENCE and given and values[key[0], REFERENCE, key[2]]
    }
    assert asked == both_sides


def test_residual_spans_share_no_character_with_the_evidence() -> None:
    for item in STUDY.tasks_of("residual"):
        [checklist] = [
            c for c in STUDY.checklists if (c.case_id, c.summary_key) == (item.case_id, REFERENCE)
        ]
        covered = {
            at for span in spans_in(checklist.payload) for at in range(span["start"], span["end"])
        }
        spans = [Span.model_validate(span) for span in item.content["spans"]]
        assert len(spans) >= 3
        for span in spans:
            assert covered.isdisjoint(range(span.start, span.end)), span.quote


def test_all_four_relations_and_every_kind_of_split_occur() -> None:
    assert {vote for item in SINGLE for vote in relations(item)} == set(comparison.Relation)
    majorities = [Counter(relations(item)).most_common(1)[0] for item in SINGLE]
    assert {name for name, votes in majorities if votes >= 2} == set(comparison.Relation)
    assert Counter(votes for _, votes in majorities) == {3: 21, 2: 11, 1: 1}
    three_ways = task("brackwater-schools/comparison/model-south/trials")
    assert len(set(relations(three_ways))) == 3


def test_lists_hold_many_to_one_matches_and_disagreement_in_part() -> None:
    parties = task("tamarind-jail/comparison/model-south/parties")
    for matched in pairs(parties):
        assert {(0, 0), (1, 0), (2, 0)} <= matched
    partly = [
        item for item in LISTS if any(a != b and a & b for a, b in combinations(pairs(item), 2))
    ]
    assert len(partly) == 17
    nothing_matches = task("brackwater-schools/comparison/model-north/important_filings")
    assert pairs(nothing_matches) == [set(), set(), set()]


def test_annotators_differ_in_their_checklists_and_mostly_agree() -> None:
    for item in STUDY.tasks_of("extraction"):
        texts = [
            {
                (key, value["text"])
                for key, given in answer.payload["items"].items()
                for value in given["values"]
            }
            for answer in item.answers
        ]
        for mine, other in combinations(texts, 2):
            assert mine != other
            assert 2 * len(mine & other) / (len(mine) + len(other)) > 0.8


def test_absent_and_not_applicable_both_occur() -> None:
    states = Counter(
        given["state"]
        for item in STUDY.tasks_of("extraction")
        for answer in item.answers
        for given in answer.payload["items"].values()
    )
    assert set(states) == {"values", "absent", "not_applicable"}


def test_fleiss_kappa_of_the_single_values_of_one_case() -> None:
    # E equal, R reference contains model, M model contains reference; nine tasks, three votes:
    #   north  filing RRR  class RRR  judge EER  monitor EEE
    #   south  filing EEE  class MME  judge EEE  opinions EEE  monitor EME
    # E 2+3+3+1+3+3+2 = 17, R 3+3+1 = 7, M 2+1 = 3; together 27.
    # Six unanimous tasks (1 each) and three 2-1 splits (1/3 each): P = 7/9.
    # P_e = (17^2 + 7^2 + 3^2) / 27^2 = 347/729.
    # kappa = (567/729 - 347/729) / (729/729 - 347/729) = 220/382 = 0.575916
    units = [Counter(relations(item)) for item in SINGLE if item.case_id == "tamarind-jail"]
    shares = Counter[str]()
    for unit in units:
        shares.update(unit)
    assert shares == {
        "equal": 17,
        "reference_contains_model": 7,
        "model_contains_reference": 3,
    }
    agreeing = sum(
        (Fraction(sum(n * (n - 1) for n in unit.values()), 3 * 2) for unit in units), Fraction(0)
    )
    observed = agreeing / len(units)
    expected = sum((Fraction(n, 27) ** 2 for n in shares.values()), Fraction(0))
    assert observed == Fraction(7, 9)
    assert expected == Fraction(347, 729)
    assert (observed - expected) / (1 - expected) == Fraction(220, 382)


def test_pairwise_f1_of_one_list() -> None:
    # ada {00, 01, 13}, ben {01, 13}, chi {00, 01, 12, 13}:
    # ada-ben 2*2/(3+2) = 4/5, ada-chi 2*3/(3+4) = 6/7, ben-chi 2*2/(2+4) = 2/3;
    # mean (84 + 90 + 70) / 105 / 3 = 244/315 = 0.774603
    matched = pairs(task("tamarind-jail/comparison/model-north/factual_basis"))
    scores = [Fraction(2 * len(a & b), len(a) + len(b)) for a, b in combinations(matched, 2)]
    assert scores == [Fraction(4, 5), Fraction(6, 7), Fraction(2, 3)]
    assert sum(scores, Fraction(0)) / 3 == Fraction(244, 315)


def test_two_of_three_agree_on_style() -> None:
    # 6 pairs x 5 aspects = 30 units; all three differ on the citation style of
    # brackwater-schools/model-north (2 1 3) and the readability of port-calloway-park/model-south
    # (3 2 4), and nowhere else: 28/30.
    apart = {
        (item.key, aspect): ratings
        for item in STUDY.tasks_of("style")
        for aspect in style.ASPECTS
        if len(set(ratings := [a.payload["ratings"][aspect] for a in item.answers])) == 3
    }
    assert apart == {
        ("brackwater-schools/style/model-north", "citation_style"): [2, 1, 3],
        ("port-calloway-park/style/model-south", "readability_jargon"): [3, 2, 4],
    }


def test_everything_says_that_it_is_invented() -> None:
    assert STUDY.notice.startswith("Synthetic.")
    for case in STUDY.cases:
        for thing in (case, *case.documents, *case.summaries):
            assert thing.metadata["synthetic"] is True
            assert thing.metadata["notice"] == STUDY.notice


def test_texts_are_of_a_readable_length_and_in_order() -> None:
    for case in STUDY.cases:
        assert 3 <= len(case.documents) <= 5
        assert [d.date for d in case.documents] == sorted(d.date for d in case.documents)
        assert len({d.key for d in case.documents}) == len(case.documents)
        assert len({d.name for d in case.documents}) == len(case.documents)
        for document in case.documents:
            assert 250 <= len(document.text.split()) <= 900, document.name
        assert 350 <= len(case.reference.text.split()) <= 600
        assert case.reference.text.count("\n\n") >= 3
        north, south = case.model_summaries
        assert len(north.text.split()) < 0.5 * len(case.reference.text.split())
        assert "\n- " in south.text
        assert "## " in south.text


def test_texts_hold_what_real_ones_hold() -> None:
    together = "".join(summary.text for case in STUDY.cases for summary in case.summaries)
    for mark in ("“", "’", "§", "\u00a0", "\u202f", "\u2011", "–", " & ", "¶"):
        assert mark in together, f"U+{ord(mark.strip() or mark):04X}"
    assert "\r" not in together
    assert all(s.text == s.text.strip() for case in STUDY.cases for s in case.summaries)


MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
LONG_DATE = re.compile(rf"({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})")
SHORT_DATE = re.compile(r"\b(\d{2})/(\d{2})/(\d{4})\b")
EXACT = re.compile(r"\$[\d,]*\d|\d{4} WL \d{7}|99:\d\d.cv.\d{5}")


def dates(text: str) -> set[date]:
    long = {date(int(y), MONTHS.index(m) + 1, int(d)) for m, d, y in LONG_DATE.findall(text)}
    return long | {date(int(y), int(m), int(d)) for m, d, y in SHORT_DATE.findall(text)}


def exact(text: str) -> set[str]:
    return set(EXACT.findall(text.replace("\u2011", "-")))


@pytest.mark.parametrize("case", STUDY.cases, ids=lambda case: case.case_id)
def test_summaries_take_dates_amounts_and_numbers_from_the_documents(case: DemoCase) -> None:
    sources = "\n".join(document.text for document in case.documents)
    for summary in case.summaries:
        assert dates(summary.text), summary.key
        assert dates(summary.text) <= dates(sources), summary.key
    north, south = case.model_summaries
    for summary in (case.reference, south):
        assert exact(summary.text) <= exact(sources), summary.key
    # north adds up the two payments of one case: 60,000 + 185,000
    assert exact(north.text) - exact(sources) <= {"$245,000"}
    assert case.filing_date in dates(case.reference.text)
    assert case.docket_number in exact(sources)


@pytest.mark.parametrize(
    ("case_id", "mistaken", "correct"),
    [
        ("tamarind-jail", "and to keep a nurse on site overnight", "but not keep a nurse on site"),
        ("brackwater-schools", "within fifty school days", "within fifteen school days"),
        ("port-calloway-park", "affirmed the injunction in full", "vacated it as to the notice"),
    ],
)
def test_each_summary_of_model_north_holds_its_mistake(
    case_id: str, mistaken: str, correct: str
) -> None:
    case = STUDY.case(case_id)
    assert mistaken in case.summary("model-north").text
    assert correct in case.reference.text


def test_times_are_possible_and_in_order() -> None:
    for annotator in STUDY.annotators:
        answers = [a for t in STUDY.tasks for a in t.answers if a.annotator == annotator.key]
        last = None
        for answer in answers:
            opened = datetime.fromisoformat(answer.opened_at)
            submitted = datetime.fromisoformat(answer.submitted_at)
            assert opened.utcoffset() is not None
            assert last is None or opened > last
            assert opened.weekday() < 5
            assert (submitted - opened).total_seconds() == pytest.approx(answer.wall_seconds)
            assert 3 <= answer.active_seconds <= answer.wall_seconds
            last = submitted
        assert any(answer.wall_seconds > answer.active_seconds for answer in answers)


def test_building_again_gives_an_equal_study_that_is_plain_json() -> None:
    again: DemoStudy = load_demo()
    assert again == STUDY
    assert again is not STUDY
    payloads = [[t.content, *(a.payload for a in t.answers)] for t in STUDY.tasks]
    assert json.loads(json.dumps(payloads, allow_nan=False)) == payloads


def test_what_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        STUDY.case("nowhere")
    with pytest.raises(KeyError):
        STUDY.cases[0].summary("model-east")
