"""What the pages of imports show, from reports as they are stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing.services import REFUSED
from annotation.records.report import FileStatus
from annotation.text.csv_text import csv_text

FIRST_PROBLEMS = 6
PROBLEMS_A_FILE = 5

STATUS_WORDS = {
    FileStatus.READ: ("done", "sound"),
    FileStatus.EMPTY: ("failed", "empty"),
    FileStatus.TRUNCATED: ("failed", "cut off"),
    FileStatus.UNREADABLE: ("failed", "cannot be read"),
    FileStatus.SKIPPED: ("skipped", "left out"),
}
SHOWN = {"all": "All files", "problems": "With problems", "tolerated": "With things tolerated"}
SORTS = {
    "path": "File",
    "status": "State",
    "created": "Created",
    "unchanged": "Unchanged",
    "problems": "Problems",
}


@dataclass(frozen=True)
class Repair:
    """How often something of a kind was tolerated in a file, and the first places of it."""

    kind: str
    count: int
    places: list[str]

    @property
    def more(self) -> int:
        """Places that are not listed; of what is said of a whole file there are none."""
        return self.count - len(self.places) if self.places else 0


@dataclass(frozen=True)
class FileRow:
    """A file of a report in words; ``problems`` are the first of ``problem_count``."""

    path: str
    status: str
    words: str
    created: int
    unchanged: int
    repairs: list[Repair]
    problems: list[str]
    problem_count: int

    @property
    def more(self) -> int:
        return self.problem_count - len(self.problems)


@dataclass(frozen=True)
class Column:
    """A heading that sorts: ``state`` is the value of aria-sort, "" for another column's turn."""

    label: str
    query: str
    state: str
    is_number: bool


def problems_of(file: Mapping[str, Any]) -> list[str]:
    """What is wrong with a file; that it was left out for it is its status, and not said again."""
    return [problem for problem in file["problems"] if problem != REFUSED]


def file_rows(report: Mapping[str, Any], *, show: str = "all", sort: str = "") -> list[FileRow]:
    """The files of a stored report, filtered (a key of ``SHOWN``) and sorted (``-`` descends).

    Without ``sort`` those with problems stand first, in the order of the report.
    """
    rows = [_row(file) for file in report.get("files", [])]
    if show == "problems":
        rows = [row for row in rows if row.problem_count]
    elif show == "tolerated":
        rows = [row for row in rows if row.repairs]
    key = sort.removeprefix("-")
    if key not in SORTS:
        return sorted(rows, key=lambda row: not row.problem_count)
    by = {
        "path": lambda row: row.path,
        "status": lambda row: row.words,
        "created": lambda row: row.created,
        "unchanged": lambda row: row.unchanged,
        "problems": lambda row: row.problem_count,
    }[key]
    return sorted(rows, key=by, reverse=sort.startswith("-"))


def _row(file: Mapping[str, Any]) -> FileRow:
    status, words = STATUS_WORDS.get(file["status"], ("skipped", str(file["status"])))
    problems = problems_of(file)
    if problems and file["status"] == FileStatus.READ:
        status, words = "partial", "with problems"
    return FileRow(
        path=file["path"],
        status=status,
        words=words,
        created=file["created"],
        unchanged=file["unchanged"],
        repairs=[
            Repair(kind, n, file.get("repair_places", {}).get(kind, []))
            for kind, n in file["repairs"].items()
        ],
        problems=problems[:PROBLEMS_A_FILE],
        problem_count=len(problems),
    )


def columns(show: str, sort: str) -> dict[str, Column]:
    """The headings of the table of files; pressing the one sorted by turns it round."""
    found = {}
    for key, label in SORTS.items():
        is_number = key not in ("path", "status")
        state, following = "", f"-{key}" if is_number else key
        if sort.removeprefix("-") == key:
            state = "descending" if sort.startswith("-") else "ascending"
            following = key if sort.startswith("-") else f"-{key}"
        found[key] = Column(label, f"?show={show}&sort={following}", state, is_number)
    return found


@dataclass(frozen=True)
class Summary:
    """A report in figures: ``sound`` files have no problem; repairs and finds by kind.

    Pairs, not mappings: a kind may be called "items", which a template would take for the method.
    """

    files: int
    sound: int
    problem_files: int
    problems: int
    created: int
    unchanged: int
    repairs: list[tuple[str, int]]
    found: list[tuple[str, int]]
    first: list[tuple[str, str]]


def summary_of(report: Mapping[str, Any]) -> Summary:
    """The figures of a stored report, and its first problems as (file, problem)."""
    files, totals = report.get("files", []), report.get("totals", {})
    first: list[tuple[str, str]] = []
    problems = 0
    problem_files = sum(bool(problems_of(file)) for file in files)
    # A file with thousands of problems must not hide the next file's.
    shown = max(2, min(PROBLEMS_A_FILE, FIRST_PROBLEMS // max(problem_files, 1)))
    for file in files:
        own = problems_of(file)
        problems += len(own)
        first += [(file["path"], problem) for problem in own[:shown]]
    return Summary(
        files=len(files),
        sound=len(files) - problem_files,
        problem_files=problem_files,
        problems=problems,
        created=totals.get("created", 0),
        unchanged=totals.get("unchanged", 0),
        repairs=list(totals.get("repairs", {}).items()),
        found=list(totals.get("found", {}).items()),
        first=first[:FIRST_PROBLEMS],
    )


def problems_csv(report: Mapping[str, Any]) -> str:
    """A row a problem: file, status, problem."""
    return csv_text(
        ("file", "status", "problem"),
        (
            (file["path"], file["status"], problem)
            for file in report.get("files", [])
            for problem in problems_of(file)
        ),
    )


def report_json(report: Mapping[str, Any]) -> str:
    """The whole report, readable."""
    return json.dumps(report, ensure_ascii=False, indent=1)
