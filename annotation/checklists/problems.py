"""What is wrong with a template, in sentences that say where and what to do. PURE."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.errors import InvalidFile

Path = tuple[str | int, ...]
"""Where a value stands in nested dicts and lists: keys and places, from the root."""

_SHOWN = 60
_EMPTY = "the text is empty: write it, or leave the field out if it is optional"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to put right.

    ``line`` counts from 1 and is None where there is no file (a stored template); ``field`` is
    the path of the field, such as ``items.parties.label``, empty when the whole file is meant.
    """

    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        line = f"line {self.line}" if self.line else ""
        where = ", ".join(part for part in (line, self.field) if part)
        return f"{where}: {self.message}" if where else self.message


class InvalidTemplate(InvalidFile):
    """A checklist template that cannot be used; ``problems`` holds all of them, by line."""

    code = "invalid_template"

    def __init__(self, problems: Iterable[Problem], *, source: str) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        count = len(self.problems)
        head = "1 problem" if count == 1 else f"{count} problems"
        body = "".join(f"\n  {problem}" for problem in self.problems)
        super().__init__(f"the template has {head}:{body}", path=source)


class Fault(NamedTuple):
    """A problem that does not know its line yet. ``other`` is a second place it speaks of."""

    path: Path
    message: str
    other: Path | None = None


def locate(fault: Fault, data: object, lines: Mapping[Path, int]) -> Problem:
    """Give ``fault`` its line (of the nearest enclosing path that has one) and its field path."""
    message = fault.message
    if fault.other is not None and (other_line := _line(fault.other, lines)):
        message += f" (the other stands on line {other_line})"
    return Problem(_line(fault.path, lines), field_path(fault.path, data), message)


def field_path(path: Path, data: Any) -> str:
    """``items.parties.label``; an entry of a list that has no key is counted: ``aliases.#3``."""
    parts = []
    for step in path:
        if isinstance(step, str):
            data = data.get(step) if isinstance(data, dict) else None
            parts.append(step if step.isprintable() else shown(step))
            continue
        data = data[step] if isinstance(data, list | tuple) and step < len(data) else None
        key = data.get("key") if isinstance(data, dict) else None
        named = isinstance(key, str) and re.fullmatch("[a-z][a-z0-9_]*", key)
        parts.append(str(key) if named else f"#{step + 1}")
    return ".".join(parts)


def _line(path: Path, lines: Mapping[Path, int]) -> int | None:
    for length in range(len(path), -1, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def shown(value: object) -> str:
    """``value`` in quotes for a message: cut when long, and safe to print."""
    text = str(value)
    if len(text) > _SHOWN:
        text = text[: _SHOWN - 1] + "…"
    return "'" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text) + "'"


def nearest(name: str, known: Iterable[str]) -> str:
    """A question that names the closest of ``known``, or nothing when none is close."""
    close = difflib.get_close_matches(name[:_SHOWN], list(known), n=1)
    return f" Did you mean {shown(close[0])}?" if close else ""


def sentence(error: Mapping[str, Any], known: Sequence[str]) -> str:
    """Put one error of pydantic (``ValidationError.errors()``) into words.

    ``known`` are the fields that may stand where an unknown one was found.
    """
    context, value = error.get("ctx", {}), error.get("input")
    match error["type"]:
        case "missing":
            return f"the field '{error['loc'][-1]}' is missing: add it"
        case "extra_forbidden":
            name = str(error["loc"][-1])
            hint = nearest(name, known) or f" The fields are: {', '.join(known)}."
            return f"there is no field {shown(name)}.{hint}"
        case "string_type":
            return _not_text(value)
        case "string_too_short":
            return _EMPTY
        case "string_too_long":
            return f"the text is too long: use at most {context['max_length']:,} characters"
        case "string_unicode":
            return "the text holds half of a surrogate pair: write the character itself"
        case "bool_type":
            return f"write true or false, without quotes, instead of {shown(value)}"
        case "int_type" | "greater_than_equal" | "less_than_equal":
            return f"write a whole number from 1 to 999 instead of {shown(value)}"
        case "tuple_type":
            return "this must be a list: put each entry on a line of its own after '- '"
        case "too_long":
            return f"the list is too long: use at most {context['max_length']} entries"
        case "too_short":
            return "the list is empty: write at least one entry"
        case "model_type":
            return "this must be a block of fields, each on a line of its own as 'name: value'"
        case _:
            return str(error["msg"])


def _not_text(value: object) -> str:
    match value:
        case None:
            return _EMPTY
        case list() | tuple():
            return "this must be text, not a list"
        case dict():
            return "this must be text, not a block of fields: put text that holds ': ' in quotes"
        case bool():
            return "YAML reads this as true or false: put it in quotes if it is meant as text"
        case _:
            return f"YAML does not read {shown(value)} as text: put it in quotes"
