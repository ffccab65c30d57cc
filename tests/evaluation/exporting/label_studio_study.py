"""The study whose export went through the real Label Studio: see tests/data/label_studio."""

from __future__ import annotations

from typing import Any

from annotation.kinds.extraction import Content, Seed
from annotation.kinds.spans import Span
from annotation.kinds.style import ASPECTS
from annotation.managing.services import create_study
from annotation.models import Assignment, Study, Task
from tests.evaluation.exporting.studies import answer, make_task
from tests.factories import (
    make_answer,
    make_case,
    make_comparison,
    make_member,
    make_summary,
    make_task_set,
)

TEXT = (
    "\U0001f468\U0001f3fb\u200d\U0001f692 firemen sued.\nFiled on April 7 before Judge "
    "\U0001d538 Woodcock; amended on May 1.\n\nDismissed."
)


def span(quote: str) -> dict[str, Any]:
    start = TEXT.index(quote)
    return {"start": start, "end": start + len(quote), "quote": quote}


ITEMS: dict[str, Any] = {
    "filing_date": {
        "state": "values",
        "values": [
            {"text": "April 7, amended", "evidence": [span("April 7"), span("amended on May 1")]},
            {"text": "in spring: perhaps", "evidence": []},
        ],
    },
    "judge_name": {
        "state": "values",
        "values": [{"text": "Judge \U0001d538 Woodcock", "evidence": [span("sued.\nFiled")]}],
    },
    "appeals": {"state": "absent", "values": []},
    "monitor_name": {"state": "not_applicable", "values": []},
}


def make_label_studio_study(slug: str = "study") -> Study:
    """Three kinds of tasks, each answered; one comparison nobody answered, one skipped."""
    study = create_study(slug, name="Label Studio and back", seed=11)
    people = [make_member(study, "annotator", f"{name}-{slug}") for name in ("ann", "ben")]
    pairs = make_task_set(study, "pairs")
    single = make_comparison(pairs, "May 1 \U0001f600", "1 May")
    many = make_comparison(pairs, ["m1", "m2 <b>", "m3"], ["r1", "r2\nr2"], case_id="1002")
    make_comparison(pairs, "nobody", "answered", case_id="1003", imported_first="reference")
    skipped = make_comparison(pairs, "left", "alone", case_id="1004")
    _answer(single, people[0], {"form": "single", "relation": "model_contains_reference"})
    _answer(single, people[1], {"form": "single", "relation": "different"}, "reference")
    matched = {"form": "list", "pairs": [[0, 1], [2, 1]], "only_model": [1], "only_reference": [0]}
    _answer(many, people[0], matched)
    assignment = _assign(skipped, people[0])
    make_answer(assignment)
    case = make_case(study, "1001")
    summary = make_summary(case, TEXT, "model-one")
    seed = Seed(item_key="filing_date", text="April 7", evidence=[Span(**span("April 7"))])
    content = Content(seed_source="model-one", seeds=[seed])
    whole = make_task(
        make_task_set(study, "whole", "extraction"), summary, content.model_dump(mode="json")
    )
    _answer(whole, people[0], {"items": ITEMS})
    style = make_task(
        make_task_set(study, "style", "style"),
        summary,
        {
            "model_text": TEXT, "reference_text": "Plain.\nText \U0001f600", "model_source": "m",
            "reference_source": "r", "imported_first": None,
        },
    )  # fmt: skip
    ratings = {aspect: level for level, aspect in enumerate(ASPECTS, 1)}
    _answer(style, people[1], {"ratings": ratings, "reasons": {ASPECTS[0]: "long words"}})
    return study


def _assign(task: Task, user: Any, first: str = "model") -> Assignment:
    return Assignment.objects.create(
        task=task, annotator=user, position=task.position, first_side=first
    )


def _answer(task: Task, user: Any, payload: dict[str, Any], first: str = "model") -> None:
    answer(_assign(task, user, first), payload)
