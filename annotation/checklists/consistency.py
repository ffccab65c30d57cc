"""What must hold between the parts of a template: unique keys and names, known groups. PURE.

Works on plain data that may be wrong in any way, so that all problems of a file can be told at
once, and not the ones of the next step only when those of the last are put right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.checklists.names import is_outside, normalise_name
from annotation.checklists.problems import Fault, Path, nearest, shown

_Entries = list[tuple[int, dict[str, Any]]]


def faults(data: Mapping[Any, Any]) -> Iterator[Fault]:
    """Every contradiction in whatever parts of ``data`` can be read."""
    groups, items = _entries(data, "groups"), _entries(data, "items")
    for field in ("key", "label", "order"):
        yield from _repeated("groups", groups, field)
    for field in ("key", "code"):
        yield from _repeated("items", items, field)
    yield from _names(items)
    yield from _groups(groups, items)


def _entries(data: Mapping[Any, Any], field: str) -> _Entries:
    """The entries that are mappings, with their places; texts stripped as the schema does."""
    values = data.get(field)
    if not isinstance(values, list | tuple):
        return []
    return [
        (place, {k: v.strip() if isinstance(v, str) else v for k, v in value.items()})
        for place, value in enumerate(values)
        if isinstance(value, Mapping)
    ]


def _repeated(kind: str, entries: _Entries, field: str) -> Iterator[Fault]:
    seen: dict[str | int, int] = {}
    for place, entry in entries:
        value = entry.get(field)
        if not isinstance(value, str | int) or value == "":
            continue
        if value in seen:
            message = f"the {field} {shown(value)} is used twice: change one of them"
            yield Fault((kind, place, field), message, (kind, seen[value], field))
        else:
            seen[value] = place


def _names(items: _Entries) -> Iterator[Fault]:
    owners: dict[str, Path] = {}
    told: set[tuple[str, int]] = set()
    for place, item in items:
        for path, name in _names_of(place, item):
            plain = normalise_name(name)
            owner = owners.setdefault(plain, path)
            if not plain:
                yield Fault(path, f"the name {shown(name)} has no letter or digit: change it")
            elif is_outside(name):
                message = f"{shown(name)} is kept for text outside the checklist: change it"
                yield Fault(path, message)
            elif owner[1] != place and (plain, place) not in told:
                told.add((plain, place))
                # Equal keys are told by _repeated.
                if not owner[2] == path[2] == "key":
                    message = f"{shown(name)} already names another item: change one of them"
                    yield Fault(path, message, owner)


def _names_of(place: int, item: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for field in ("key", "label"):
        if isinstance(item.get(field), str) and item[field]:
            yield ("items", place, field), item[field]
    aliases = item.get("aliases")
    if isinstance(aliases, list | tuple):
        for number, alias in enumerate(aliases):
            if isinstance(alias, str) and alias.strip():
                yield ("items", place, "aliases", number), alias


def _groups(groups: _Entries, items: _Entries) -> Iterator[Fault]:
    known = [group["key"] for _, group in groups if isinstance(group.get("key"), str)]
    used = {item["group"] for _, item in items if isinstance(item.get("group"), str)}
    for place, item in items:
        group = item.get("group")
        if isinstance(group, str) and group not in known:
            hint = nearest(group, known) or f" The groups are: {', '.join(known) or 'none'}."
            yield Fault(("items", place, "group"), f"there is no group {shown(group)}.{hint}")
    for place, entry in groups:
        if isinstance(entry.get("key"), str) and entry["key"] not in used:
            message = "no item belongs to this group: remove it, or give it items"
            yield Fault(("groups", place), message)
