"""A content file with a fault is refused, with its name and the place of the fault."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from annotation.errors import InvalidFile
from evaluation.demo import sources
from evaluation.demo.content import load_demo

CASE = "brackwater-schools"
Change = Callable[[str, str, Any], None]
REMOVE = object()


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Change:
    """Set or remove one field of a copy of the content, which ``load_demo`` then reads."""
    shutil.copytree(str(files("evaluation.demo").joinpath("content")), tmp_path / "content")
    monkeypatch.setattr(sources, "files", lambda package: tmp_path)

    def set_field(name: str, place: str, value: Any) -> None:
        path = tmp_path / "content" / name
        data = json.loads(path.read_text(encoding="utf-8"))
        where = data
        *steps, last = [int(step) if step.isdigit() else step for step in place.split("/")]
        for step in steps:
            where = where[step]
        if value is REMOVE:
            del where[last]
        else:
            where[last] = value
        path.write_text(json.dumps(data), encoding="utf-8")

    return set_field


def test_the_copy_is_read_like_the_original(change: Change) -> None:
    original = load_demo().title
    change("study.json", "title", "Another title")
    assert original != "Another title"
    assert load_demo().title == "Another title"


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("study.json", "seed", -1, "study.json: seed: "),
        ("study.json", "colour", "blue", "study.json: colour: "),
        (f"{CASE}.json", "synthetic", False, f"{CASE}.json: synthetic: "),
        (f"{CASE}.json", "models/model-north/paragraphs", [], "models.model-north.paragraphs: "),
        (
            f"{CASE}.checklists.json",
            "reference/items/judge_name/0/evidence/0",
            "Judge Nobody",
            f'{CASE}.checklists.json: reference: "Judge Nobody" does not stand in the text',
        ),
        (
            f"{CASE}.checklists.json",
            "models/model-north",
            REMOVE,
            "models: Nothing is given for: model-north",
        ),
        (
            f"{CASE}.checklists.json",
            "edits/chi/0/value",
            77,
            "edits.chi: parties: there is no value 77",
        ),
        (
            f"{CASE}.checklists.json",
            "edits/dan",
            [],
            "edits: Nobody asked about: dan",
        ),
        (
            f"{CASE}.answers.json",
            "residual/spans/4",
            "The case was assigned to Judge",
            "residual.spans: ",
        ),
        (
            f"{CASE}.answers.json",
            "residual/answers/ben/no_fact",
            [],
            "residual.answers.ben: Spans not settled yet: 5",
        ),
        (
            f"{CASE}.answers.json",
            "comparison/model-north/trials",
            REMOVE,
            "comparison.model-north: Nothing is given for: trials",
        ),
        (
            f"{CASE}.answers.json",
            "comparison/model-north/appeals",
            {"all": "equal"},
            "comparison.model-north: Nobody asked about: appeals",
        ),
        (
            f"{CASE}.answers.json",
            "comparison/model-north/trials/all",
            REMOVE,
            "comparison.model-north.trials: Nothing is given for: ada, ben",
        ),
        (
            f"{CASE}.answers.json",
            "comparison/model-north/trials/chi",
            [[0, 0]],
            "comparison.model-north.trials: This task asks for a single answer",
        ),
        (
            f"{CASE}.answers.json",
            "comparison/model-north/judge_name/all",
            [[0, 2]],
            "comparison.model-north.judge_name: Value 3 does not exist",
        ),
        (
            f"{CASE}.answers.json",
            "style/model-south/ada/ratings",
            [1, 2, 3, 4],
            "style.model-south: 5 ratings are needed, not 4",
        ),
        (
            f"{CASE}.answers.json",
            "style/model-south/ada/reasons",
            {"charm": "none"},
            "style.model-south: Unknown aspects: charm",
        ),
    ],
)
def test_a_fault_is_named_with_its_file_and_place(
    change: Change, name: str, place: str, value: Any, message: str
) -> None:
    change(name, place, value)
    with pytest.raises(InvalidFile) as caught:
        load_demo()
    assert caught.value.path == name
    assert message in str(caught.value)
