"""A database may lose the order of a stored answer's keys; what is written of it is the same."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from annotation.checklists.loader import load_builtin
from annotation.kinds.comparison import Side
from annotation.kinds.extraction import Content, parse_answer
from annotation.records.label_studio.results import results
from evaluation.exporting.checklist_cells import answered_evidence, answered_values
from evaluation.exporting.rows import Given
from evaluation.exporting.thresh import GivenAnswer, TaskParagraph, paragraph_list

TEXT = "Filed on April 7"
TEMPLATE = load_builtin("legal-26")
KEYS = ("filing_date", "trials", "court_rulings", "judge_name")


def payload(*keys: str) -> dict[str, Any]:
    evidence = [{"start": 0, "end": 5, "quote": "Filed"}]
    item = {"state": "values", "values": [{"text": "x", "evidence": evidence}]}
    return {"items": dict.fromkeys(keys, item) | {"remedy_sought": {"state": "absent"}}}


def written(stored: dict[str, Any]) -> list[Any]:
    """The answer in every shape in which an export has it."""
    given = Given(
        task_set="s", kind="extraction", task="t", position=1, case="1", item_key="",
        item_name="", content={}, annotator="annotator-1", round=1, version=1, is_current=True,
        state="submitted", at=datetime(2026, 3, 2, tzinfo=UTC), first_side="", payload=stored,
        flagged=False, comment="", active_seconds=0.0, wall_seconds=0.0,
    )  # fmt: skip
    task = TaskParagraph("t", "1", Content())
    return [
        list(answered_values(given)),
        list(answered_evidence(given)),
        results("extraction", stored, TEMPLATE, Side.MODEL, {}),
        paragraph_list([task], TEXT, {}, {"t": GivenAnswer(parse_answer(stored), {})}),
    ]


def test_the_order_of_a_stored_answers_keys_does_not_matter() -> None:
    values, evidence, regions, _ = written(payload(*KEYS))
    assert [len(values), len(evidence), len(regions)] == [5, 4, 9]
    assert written(payload(*KEYS[::-1])) == written(payload(*KEYS))
