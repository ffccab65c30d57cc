"""Every item name in every file of the public release means an item."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.checklists.loader import load_builtin
from annotation.checklists.schema import is_outside

pytestmark = pytest.mark.release

# Family of files -> how many of the 26 items it must name at least.
FAMILIES = {
    "document_checklists/human.json": 26,
    "document_checklists/chunk_by_chunk": 26,
    "document_checklists/end_to_end": 15,
    "document_checklists/gavel_agent": 26,
    "summary_checklists": 26,
    "evaluation": 20,
    "evaluation_documents_checklist": 25,
    "thresh": 26,
    "checklist_comparison": 20,
}


def read(path: Path) -> Any:
    """The JSON of a file, None where the release has an empty or cut-off one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None


def result_names(path: Path) -> Iterator[str]:
    for items in ((read(path) or {}).get("results") or {}).values():
        yield from items if isinstance(items, dict) else ()


def agent_names(path: Path) -> Iterator[str]:
    for name, entry in (read(path) or {}).items():
        yield name
        yield entry["key"]


def thresh_names(path: Path) -> Iterator[str]:
    for paragraph in read(path) or []:
        for edit in paragraph["edits"]:
            yield edit["category"]
            if name := edit["annotation"].get("checklist_item"):
                yield name


def comparison_names(path: Path) -> Iterator[str]:
    for key in (read(path) or {}).get("keys", []):
        yield key["checklist_item"]


def names_by_family(root: Path) -> dict[str, set[str]]:
    data = root / "data"
    found: defaultdict[str, set[str]] = defaultdict(set)
    for family in FAMILIES:
        folder = data / family
        if family.endswith("gavel_agent"):
            names = (n for p in folder.rglob("checklist.json") for n in agent_names(p))
        elif family == "thresh":
            names = (n for p in (root / "thresh").glob("*.json") for n in thresh_names(p))
        elif family == "checklist_comparison":
            place = root / "annotation_interface" / family / "data" / "example.json"
            names = comparison_names(place)
        elif folder.suffix:
            names = result_names(folder)
        else:
            names = (n for p in folder.rglob("*.json") for n in result_names(p))
        found[family].update(names)
    return found


def test_every_name_in_the_release_means_an_item(release_dir: Path) -> None:
    template = load_builtin("legal-26")
    found = names_by_family(release_dir)
    unknown = {
        family: missing
        for family, names in found.items()
        if (missing := {n for n in names if not template.item_for(n) and not is_outside(n)})
    }
    assert unknown == {}
    meant = {
        family: len({item.key for name in names if (item := template.item_for(name))})
        for family, names in found.items()
    }
    assert {f: n for f, n in meant.items() if n < FAMILIES[f]} == {}
