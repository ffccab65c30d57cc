"""Templates as objects: frozen, the same after a trip through JSON, and with a stable hash."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from pydantic import ValidationError

from annotation.checklists.loader import builtin_templates, load_builtin
from annotation.checklists.problems import InvalidTemplate
from annotation.checklists.schema import Template

SMALL: dict[str, Any] = {
    "key": "boats-2",
    "name": "Boats",
    "version": "1",
    "language": "en",
    "nouns": {
        "case": {"one": "boat", "many": "boats"},
        "summary": {"one": "log", "many": "logs"},
        "reference": {"one": "true log", "many": "true logs"},
    },
    "groups": [
        {"key": "hull", "label": "Hull", "colour": "group-1", "icon": "group-1", "order": 1}
    ],
    "items": [
        {"key": "length", "label": "Length", "group": "hull", "definition": "How long it is."},
        {"key": "width", "label": "Width", "group": "hull", "definition": "How wide it is."},
    ],
}


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(SMALL) | changes


def reversed_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    if isinstance(value, list):
        return [reversed_keys(entry) for entry in value]
    return value


@pytest.mark.parametrize("key", ["legal-26", "medical-29"])
def test_a_trip_through_a_json_column_changes_nothing(key: str) -> None:
    template = load_builtin(key)
    stored = json.loads(json.dumps(template.to_json()))
    again = Template.from_json(stored)
    assert again == template
    assert again.content_hash() == template.content_hash()


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    for template in [*builtin_templates().values(), Template.from_json(SMALL)]:
        turned = Template.from_json(reversed_keys(template.to_json()))
        assert turned.content_hash() == template.content_hash()


def test_the_hash_is_that_of_the_canonical_json() -> None:
    import hashlib

    text = json.dumps(SMALL, sort_keys=True, separators=(",", ":"))
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert Template.from_json(SMALL).content_hash() == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Ships"},
        {"version": "2"},
        {"items": [SMALL["items"][1], SMALL["items"][0]]},
        {"items": [SMALL["items"][0] | {"aliases": ["How long"]}, SMALL["items"][1]]},
    ],
)
def test_any_change_changes_the_hash(changes: dict[str, Any]) -> None:
    before = Template.from_json(SMALL).content_hash()
    assert Template.from_json(changed(**changes)).content_hash() != before


def test_a_field_at_its_default_does_not_count() -> None:
    items = [SMALL["items"][0] | {"cues": [], "literal": False}, SMALL["items"][1]]
    same = Template.from_json(changed(items=items))
    assert same.content_hash() == Template.from_json(SMALL).content_hash()


def test_nothing_can_be_changed_in_place() -> None:
    template = Template.from_json(SMALL)
    with pytest.raises(ValidationError):
        template.name = "Ships"
    with pytest.raises(ValidationError):
        template.items[0].definition = "Another."
    assert isinstance(template.items, tuple)
    assert isinstance(template.items[0].aliases, tuple)


def test_groups_stand_in_their_order() -> None:
    groups = [
        {"key": "hull", "label": "Hull", "colour": "group-1", "icon": "group-1", "order": 2},
        {"key": "mast", "label": "Mast", "colour": "group-2", "icon": "group-2", "order": 1},
    ]
    items = [SMALL["items"][0], SMALL["items"][1] | {"group": "mast"}]
    template = Template.from_json(changed(groups=groups, items=items))
    assert [group.key for group in template.groups] == ["mast", "hull"]
    assert template.group("mast").colour == "group-2"
    assert [item.key for item in template.items_in("mast")] == ["width"]


def test_lookups_by_key_are_exact() -> None:
    template = Template.from_json(SMALL)
    assert template.item_keys == ("length", "width")
    assert template.item("length").label == "Length"
    with pytest.raises(KeyError):
        template.item("Length")
    with pytest.raises(KeyError):
        template.group("keel")


def test_a_broken_row_is_refused_with_all_its_problems_and_no_lines() -> None:
    broken = changed(version=3, items=[SMALL["items"][0], SMALL["items"][1] | {"group": "hul"}])
    broken["colour"] = "red"
    with pytest.raises(InvalidTemplate) as caught:
        Template.from_json(broken, source="bundle.json")
    found = {(problem.line, problem.field) for problem in caught.value.problems}
    assert found == {(None, "version"), (None, "colour"), (None, "items.width.group")}
    assert caught.value.path == "bundle.json"
    assert "Did you mean 'hull'?" in caught.value.message


@pytest.mark.parametrize("data", [None, [], "text", 3, {}])
def test_something_else_is_refused(data: object) -> None:
    with pytest.raises(InvalidTemplate):
        Template.from_json(data)


def test_a_template_made_by_hand_keeps_the_rules() -> None:
    twin = SMALL["items"][0] | {"label": "Width"}
    with pytest.raises(ValidationError, match="already names another item"):
        Template.model_validate(changed(items=[twin, SMALL["items"][1]]))


def test_keys_that_differ_by_blanks_alone_are_refused_with_a_reason() -> None:
    twin = SMALL["items"][0] | {"key": " width "}
    with pytest.raises(InvalidTemplate) as caught:
        Template.from_json(changed(items=[twin, SMALL["items"][1]]))
    assert [problem.field for problem in caught.value.problems] == ["items.width.key"]


@pytest.mark.parametrize("text", ["nul \x00", "escape \x1b[0m", "half \ud800"])
def test_text_that_a_database_or_a_terminal_cannot_hold_is_refused(text: str) -> None:
    items = [SMALL["items"][0] | {"definition": text}, SMALL["items"][1]]
    with pytest.raises(InvalidTemplate) as caught:
        Template.from_json(changed(items=items))
    assert [problem.field for problem in caught.value.problems] == ["items.length.definition"]
    assert caught.value.message.encode().decode().replace("\n", "").isprintable()
