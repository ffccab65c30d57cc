"""Checking the files of exports in other tools' shapes: every quote cut out again. PURE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from annotation.errors import InvalidFile
from annotation.records.json_files import read_json
from annotation.records.report import FileReport
from annotation.records.thresh_file import parse_thresh
from annotation.text.normalise import NormalisedText, normalise_text
from evaluation.exporting.release_shapes import HUMAN_FILE, SUMMARIES
from evaluation.releasing.readers.human import HumanChecklists, checked_values
from evaluation.releasing.readers.summaries import TEXT, place_of

Problem = Callable[[str, str], None]


def check_thresh(folder: Path, present: list[str], problem: Problem) -> None:
    """Every file of paragraphs: its texts, and that every place is one of them."""
    for name in present:
        if name.endswith(".json"):
            report = FileReport(name)
            # What the items are called is not asked here.
            parse = partial(parse_thresh, resolve=_any_name, report=report)
            _read(folder, name, parse, problem)
            for found in report.problems:
                problem(name, str(found))


def check_release(folder: Path, present: list[str], problem: Problem) -> None:
    """The human checklists: every evidence is what the reference summary of its case says."""
    if HUMAN_FILE not in present:
        return
    references: dict[str, NormalisedText] = {}
    for name in present:
        if name.startswith(f"{SUMMARIES}/") and name.count("/") == 2:
            _read(folder, name, lambda value: references.update(_references(value)), problem)
    report = FileReport(HUMAN_FILE)
    try:
        for record in HumanChecklists(lambda name: name).read(folder / HUMAN_FILE, report):
            text = references.get(record.case_id)
            if text is None:
                report.problem(place_of(record.case_id), "its reference summary is not here")
            else:
                checked_values(record, text, report)
    except InvalidFile as error:
        report.refuse(error)
    for found in report.problems:
        problem(HUMAN_FILE, str(found))


def _any_name(name: str) -> str:
    return "item"


def _references(value: object) -> dict[str, NormalisedText]:
    if not isinstance(value, dict):
        return {}
    texts = {case: row.get(TEXT) for case, row in value.items() if isinstance(row, dict)}
    return {case: normalise_text(text) for case, text in texts.items() if isinstance(text, str)}


def _read(folder: Path, name: str, use: Callable[[object], object], problem: Problem) -> None:
    try:
        value = read_json(folder / name, name=name)
    except InvalidFile:
        return  # said already where the file was measured
    try:
        use(value)
    except InvalidFile as error:
        problem(name, error.message)
