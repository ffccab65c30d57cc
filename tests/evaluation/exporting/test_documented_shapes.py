"""The examples of the interfaces' shapes in the documentation are read, and say what is written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from annotation.checklists.loader import load_builtin
from annotation.kinds.comparison import Side
from annotation.kinds.style import ASPECTS, Answer, Content
from annotation.records.comparison_file import parse_comparisons
from annotation.records.report import FileReport
from annotation.records.style_answer import style_annotation, style_order
from annotation.records.style_file import parse_styles
from annotation.records.thresh_file import parse_thresh
from evaluation.exporting.release_shapes import HUMAN_FILE
from evaluation.releasing.readers.human import HumanChecklists

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## ([\w ]+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
RESOLVE = load_builtin("legal-26").key_for


def examples(section: str) -> list[Any]:
    found = re.findall(r"^```json\n(.*?)^```$", SECTIONS[section], re.MULTILINE | re.DOTALL)
    return [json.loads(text) for text in found]


@pytest.mark.parametrize("number", [0, 1])
def test_the_paragraphs_are_paragraphs(number: int) -> None:
    paragraph = examples("Thresh")[number]
    report = FileReport("1001.json")
    record = parse_thresh([paragraph], RESOLVE, report)
    assert record is not None
    assert report.problems == []
    assert [edit.is_added for edit in record.paragraphs[0].edits] == [bool(number)]
    (start, end), text = paragraph["edits"][0]["output_idx"][0], paragraph["target"]
    assert text[start:end] == ("April 7", text)[number]


def test_the_pairs_are_pairs() -> None:
    comparison, style = examples("Interface files")
    report = FileReport("pairs.json")
    assert len(parse_comparisons(comparison, RESOLVE, report)) == 1
    assert len(parse_styles(style, report)) == 1
    assert report.problems == []


def test_the_style_answer_has_the_keys_that_are_written() -> None:
    _, style, _ = examples("Answers")
    shown = style["annotation"]
    answer = Answer(
        ratings={aspect: shown[aspect] for aspect in ASPECTS},
        reasons={"narrative_order": "both by date"},
    )
    assert list(style_annotation(answer).items()) == list(shown.items())
    content = Content(
        model_text="m", reference_text="r", model_source="model-one", reference_source="reference"
    )
    assert list(style_order(content, Side.MODEL)) == style["order"]


def test_the_human_checklist_is_one(tmp_path: Path) -> None:
    human = examples("Release")[0]
    path = tmp_path / Path(HUMAN_FILE).name
    path.write_text(json.dumps(human), encoding="utf-8")
    report = FileReport(path.name)
    records = list(HumanChecklists(RESOLVE).read(path, report))
    assert [(r.item_key, len(r.values)) for r in records] == [("filing_date", 1), ("appeals", 0)]
    assert (report.problems, report.repairs) == ([], {})
