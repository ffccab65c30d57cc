"""Texts from outside are refused at the length of their columns: SQLite would store any length."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import Model

from agent.models import ExtractionRun, Judge, RunStep
from annotation.models import (
    Case,
    Checklist,
    ChecklistItem,
    ChecklistVersion,
    Event,
    Evidence,
    Membership,
    SourceDocument,
    Study,
    Summary,
    Task,
    TaskSet,
)
from annotation.records.fields import CASE_ID_LENGTH, LENGTH_BIN_LENGTH, NAME_LENGTH
from evaluation.exporting import bundle
from evaluation.exporting.bundle import Strict
from evaluation.exporting.lines import BadLine, parse_line
from evaluation.exporting.writers import canonical_line
from evaluation.models import ChecklistComparison, ItemVerdict, JudgeCall, JudgeRun, JudgeTask

# Row -> its model, and the fields that are called otherwise there.
ROWS: dict[type[Strict], tuple[type[Model], dict[str, str]]] = {
    bundle.StudyRow: (Study, {}),
    bundle.TemplateRow: (ChecklistVersion, {}),
    bundle.TemplateRef: (ChecklistVersion, {}),
    bundle.MemberRow: (Membership, {}),
    bundle.CaseRow: (Case, {"case": "external_id"}),
    bundle.DocumentRow: (SourceDocument, {}),
    bundle.SummaryRow: (Summary, {}),
    bundle.ChecklistRow: (Checklist, {}),
    bundle.ChecklistRef: (Checklist, {}),
    bundle.ItemRow: (ChecklistItem, {"item": "item_key"}),
    bundle.EvidenceRow: (Evidence, {}),
    bundle.ExtractionRunRow: (ExtractionRun, {}),
    bundle.RunStepRow: (RunStep, {}),
    bundle.ChecklistComparisonRow: (ChecklistComparison, {"model": "model_name"}),
    bundle.ItemVerdictRow: (ItemVerdict, {"item": "item_key"}),
    bundle.TaskSetRow: (TaskSet, {"task_set": "key"}),
    bundle.TaskRow: (Task, {"task": "key"}),
    bundle.EventRow: (Event, {}),
    bundle.JudgeRow: (Judge, {"judge": "name"}),
    bundle.JudgeRunRow: (JudgeRun, {}),
    bundle.JudgeTaskRow: (JudgeTask, {}),
    bundle.JudgeCallRow: (JudgeCall, {}),
}


def longest(row: type[Strict], name: str) -> tuple[int | None, bool]:
    """The most characters of a field, and whether it takes words of a list alone."""
    metadata = row.model_fields[name].metadata
    found = [m.max_length for m in metadata if getattr(m, "max_length", None) is not None]
    fixed = any("check" in getattr(getattr(m, "func", None), "__name__", "") for m in metadata)
    return (found[0] if found else None), fixed


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_a_row_holds_as_many_characters_as_its_columns(row: type[Strict]) -> None:
    model, names = ROWS[row]
    columns = {f.name: f.max_length for f in model._meta.get_fields() if hasattr(f, "max_length")}
    compared = 0
    for name in row.model_fields:
        most = columns.get(names.get(name, name))
        allowed, fixed = longest(row, name)
        if most is None or fixed or (name == "content_hash" and row is bundle.TemplateRow):
            continue
        assert allowed == most, name
        compared += 1
    assert compared


def test_readers_accept_as_many_characters_as_the_columns_hold() -> None:
    def most(model: type[Model], name: str) -> Any:
        return model._meta.get_field(name).max_length

    assert most(Case, "external_id") == CASE_ID_LENGTH
    assert most(Case, "length_bin") == LENGTH_BIN_LENGTH
    assert most(Case, "case_type") == most(Summary, "producer") == NAME_LENGTH
    # case/item/index#position: a template's item keys have 60 characters at most, an index 10,
    # and a file of 64 MiB has fewer than a million entries.
    assert most(Task, "key") >= CASE_ID_LENGTH + 1 + 60 + 1 + 10 + 7


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [("a\x00b", True), ("\x00", True), ("\\\x00", True), ("\\u0000", False), ("\\\\u0000", False)],
)
def test_a_bundle_with_nul_is_refused_and_one_that_speaks_of_it_is_not(
    text: str, is_refused: bool
) -> None:
    line = canonical_line({"version": 1, "text": text, "created_at": "2025-01-02T03:04:05.000000Z"})
    if is_refused:
        with pytest.raises(BadLine, match="NUL"):
            parse_line(line, bundle.GuidelineRow)
    else:
        assert parse_line(line, bundle.GuidelineRow).text == text
