"""The documentation of formats: its examples are rows, and no file is forgotten."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from annotation.checklists.loader import load_builtin
from annotation.records.csv_rows import (
    COMPARISON_HEADER,
    COMPARISONS,
    STYLE_HEADER,
    STYLE_PAIRS,
    SUMMARIES,
    SUMMARY_HEADER,
    comparison_rows,
    style_rows,
    summary_rows,
)
from annotation.records.csv_table import parse_table
from annotation.records.label_studio.reading import parse_tasks
from annotation.records.report import FileReport
from evaluation.exporting.bundle import FILES
from evaluation.exporting.checking import Checker
from evaluation.exporting.checklist_cells import EVIDENCE_HEADER, VALUES_HEADER, VERDICTS_HEADER
from evaluation.exporting.lines import parse_line
from evaluation.exporting.rows import HEADER, INCLUDE
from evaluation.exporting.services import FORMATS

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))
TEMPLATE = load_builtin("legal-26")
NO_EXAMPLE = {"templates.jsonl"}


def examples(name: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", SECTIONS[name], re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", sorted(FILES.keys() - NO_EXAMPLE))
def test_the_example_of_a_file_is_a_row_of_it(name: str) -> None:
    (line,) = examples(name)
    parse_line(line.encode(), FILES[name])


def test_the_examples_fit_together(tmp_path: Path) -> None:
    checker = Checker(tmp_path)
    checker.item_keys["legal-26", "1"] = frozenset({"appeals", "filing_date"})
    checker.members.add("researcher-1")
    problems = []
    for name, kind in FILES.items():
        if name in NO_EXAMPLE:
            continue
        line = examples(name)[0].encode()
        (tmp_path / name).write_bytes(line)
        checker.begin()
        problems += list(checker.check(parse_line(line, kind), 0))
    # The example of events shows the act before the submit; the submit is what made the answer.
    assert problems == []
    assert [file for file, _ in checker.finish()] == ["events.jsonl"]


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("answers.csv", HEADER),
        ("values.csv", VALUES_HEADER),
        ("evidence.csv", EVIDENCE_HEADER),
        ("item_verdicts.csv", VERDICTS_HEADER),
        ("comparisons.csv", COMPARISON_HEADER),
        ("style_pairs.csv", STYLE_HEADER),
        ("summaries.csv", SUMMARY_HEADER),
    ],
)
def test_the_columns_of_tables_are_those_documented(name: str, header: tuple[str, ...]) -> None:
    columns, example = examples(name)
    assert next(csv.reader([columns])) == list(header)
    assert len(next(csv.reader([example]))) == len(header)


def test_every_format_and_switch_is_named() -> None:
    for name in FORMATS:
        assert f"--format {name}" in TEXT
    for name in INCLUDE:
        assert f"`{name}`" in TEXT


def section(title: str) -> str:
    return re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[0]


def test_the_example_of_label_studio_is_a_task() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```$", section("Label Studio"), re.M | re.S)
    report = FileReport("example")
    (task,) = parse_tasks(json.loads(example), TEMPLATE.key_for, report)
    (marks,) = task.marks
    (value,) = marks.marked.items["filing_date"].values
    assert (value.text, value.evidence[0].quote) == ("April 7, 2019", "April 7")
    assert (report.problems, dict(report.repairs)) == ([], {})


def test_the_examples_of_tables_can_be_imported() -> None:
    examples = re.findall(r"^```csv\n(.*?)^```$", section("Tables to import"), re.M | re.S)
    report = FileReport("example")
    tables = [
        parse_table(example.encode(), columns, report)
        for example, columns in zip(examples, (COMPARISONS, STYLE_PAIRS, SUMMARIES), strict=True)
    ]
    pairs = comparison_rows(tables[0], TEMPLATE.key_for, report)
    assert [pair.content.form for pair in pairs] == ["single", "list"]
    assert [pair.key for pair in style_rows(tables[1], report)] == ["1001/model-one"]
    assert [row.producer for row in summary_rows(tables[2], report)] == ["reference", "model-one"]
    assert report.problems == []
