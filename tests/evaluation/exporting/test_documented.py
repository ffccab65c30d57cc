"""The documentation of formats: its examples are rows, and no file is forgotten."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from evaluation.exporting.bundle import FILES
from evaluation.exporting.checking import Checker
from evaluation.exporting.checklist_cells import EVIDENCE_HEADER, VALUES_HEADER, VERDICTS_HEADER
from evaluation.exporting.lines import parse_line
from evaluation.exporting.rows import HEADER, INCLUDE
from evaluation.exporting.services import FORMATS

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([\w.]+)`\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL))
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
