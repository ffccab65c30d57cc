"""The guide to templates: its example loads, and it names every field."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotation.checklists import cues
from annotation.checklists.loader import load_text
from annotation.checklists.schema import Group, Item, Nouns, Template

GUIDE = (Path(__file__).parents[3] / "docs" / "checklists.md").read_text(encoding="utf-8")


def test_the_worked_example_is_a_template() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", GUIDE, flags=re.DOTALL)
    template = load_text(example, "docs/checklists.md")
    assert template.key == "ferry-3"
    assert len(template.items) == 3
    date = template.item_for("accident-DATE")
    assert date is not None
    assert date.find_cues("It sank on the night of 3 May 2014.") == [(8, 23)]


@pytest.mark.parametrize(
    "field",
    sorted({*Template.model_fields, *Nouns.model_fields, *Group.model_fields, *Item.model_fields}),
)
def test_every_field_is_explained(field: str) -> None:
    assert f"`{field}`" in GUIDE


def test_the_limit_of_cues_is_the_real_one() -> None:
    assert f"more than {cues.MAX_STEPS:,} steps" in GUIDE
