"""Reading parsed JSON without trusting it. PURE.

Each function returns its value with the type it promises, or raises :class:`Misfit` with the place.
Readers catch it where one bad entry should not spoil the rest.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from annotation.records.quoting import printable, shown

# As many characters as the columns hold; a test keeps them equal to the models.
NAME_LENGTH = 200
CASE_ID_LENGTH = 120
LENGTH_BIN_LENGTH = 40
LARGEST_INT = 2**31 - 1

ResolveItem = Callable[[str], str | None]
"""The template's key for what a file calls an item, or None."""

UNKNOWN_ITEM = (
    "is no item of this study's checklist. Correct the name, or add it to the template's aliases."
)


class Misfit(Exception):
    """A value that is not what the format asks for, with its place in the file."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


def as_object(value: object, place: str) -> dict[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Misfit(place, f"must be an object, and is {shown(value)}.")
    return value


def as_list(value: object, place: str, *, length: int | None = None) -> list[object]:
    """A JSON list, of exactly ``length`` elements if that is given."""
    if not isinstance(value, list):
        raise Misfit(place, f"must be a list, and is {shown(value)}.")
    if length is not None and len(value) != length:
        raise Misfit(place, f"must be a list of {length}, and is {shown(value)}.")
    return value


def as_text(value: object, place: str) -> str:
    """A text that says something (not only white space)."""
    if not isinstance(value, str):
        raise Misfit(place, f"must be a text, and is {shown(value)}.")
    if not value.strip():
        state = "blank" if value else "empty"
        raise Misfit(place, f"must say something, and is {state}. Fill it in or take it out.")
    return value


def as_name(value: object, place: str, *, longest: int = NAME_LENGTH) -> str:
    """An identifier: up to ``longest`` characters, no outer blanks, no control characters."""
    name = as_text(value, place)
    if name != name.strip():
        raise Misfit(place, f"must have no blanks at its ends, and is {shown(name)}.")
    if len(name) > longest:
        raise Misfit(place, f"must have {longest} characters or fewer, and has {len(name):,}.")
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in name):
        raise Misfit(place, f"must have no control characters, and is {shown(name)}.")
    return name


def as_case_id(value: object, place: str) -> str:
    """A name of up to 120 characters."""
    return as_name(value, place, longest=CASE_ID_LENGTH)


def as_item_key(name: str, resolve: ResolveItem, place: str) -> str:
    """The key of the item that a file calls ``name``."""
    key = resolve(name)
    if key is None:
        raise Misfit(place, f"{shown(name)} {UNKNOWN_ITEM}")
    return key


def as_int(value: object, place: str, *, low: int = 0, high: int = LARGEST_INT) -> int:
    """A whole number from ``low`` to ``high``; true and false are none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Misfit(place, f"must be a whole number, and is {shown(value)}.")
    if not low <= value <= high:
        raise Misfit(place, f"must be from {low:,} to {high:,}, and is {shown(value)}.")
    return value


def as_bool(value: object, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Misfit(place, f"must be true or false, and is {shown(value)}.")
    return value


def member(obj: dict[str, object], key: str, place: str) -> object:
    """``obj[key]``. ``place`` is that of ``obj``; the empty place is the whole file."""
    if key not in obj:
        raise Misfit(place, f'has no "{key}", which is needed.')
    return obj[key]


def within(place: str, key: str | int) -> str:
    """The place of an element: ``keys[3].case_id``."""
    if isinstance(key, int):
        return f"{place}[{key}]"
    return f"{place}.{printable(key)}" if place else printable(key)
