"""YAML text -> plain data that remembers its lines. PURE.

Only the plain part of YAML is read: mappings with text keys, lists and scalars. Tags, anchors
and aliases are refused (so no object is ever built and no alias can blow a file up), and so are
duplicate keys, of which YAML readers usually drop all but the last without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

from annotation.checklists.problems import Path, shown

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 12
MAX_NODES = 50_000

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What both parsers of PyYAML read: the set of YAML 1.1 without U+FEFF.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_MANY = 10
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,8})")
_ADVICE = "check the indentation, and put text that holds ': ' or ' #' in quotes"


@dataclass(frozen=True, slots=True)
class OddScalar:
    """A scalar that YAML takes for something else than text, a whole number or true/false."""

    raw: str

    def __str__(self) -> str:
        return self.raw


class Found(NamedTuple):
    """A problem of the YAML itself; ``line`` is None when the whole file is meant."""

    line: int | None
    path: Path
    message: str


@dataclass
class Document:
    """``data`` as dicts, lists, str, int, bool, None or OddScalar; ``lines`` of every path in it.

    When there are ``problems``, ``data`` is what could be read all the same.
    """

    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Found] = field(default_factory=list)


class _Stop(Exception):
    """Reading cannot go on."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.found = Found(line, (), message)


def read_yaml(text: str) -> Document:
    """Read ``text``. Never raises: whatever is wrong is in ``problems``."""
    document = Document()
    if len(text) > MAX_CHARACTERS:
        message = f"the file is too large: {len(text):,} characters, at most {MAX_CHARACTERS:,}"
        document.problems.append(Found(None, (), message))
        return document
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    document.problems.extend(_unprintable(text))
    if document.problems:
        return document
    try:
        _Reader(text, document).read()
    except _Stop as stop:
        document.problems.append(stop.found)
    except yaml.YAMLError as error:
        document.problems.append(_syntax(error))
    except (ValueError, OverflowError) as error:
        # PyYAML lets these through for escapes and version numbers beyond any range.
        document.problems.append(Found(None, (), f"this is not valid YAML: {error}"))
    return document


def _unprintable(text: str) -> Iterator[Found]:
    for number, match in enumerate(_UNPRINTABLE.finditer(text)):
        if number == _MANY:
            break
        line = text.count("\n", 0, match.start()) + 1
        message = f"YAML does not allow the character U+{ord(match[0]):04X}: remove it"
        yield Found(line, (), message)


def _syntax(error: yaml.YAMLError) -> Found:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return Found(mark.line + 1 if mark else None, (), f"this is not YAML ({reason}): {_ADVICE}")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Reader:
    def __init__(self, text: str, document: Document) -> None:
        self.events: Iterator[Any] = iter(yaml.parse(text, Loader=_Loader))
        self.document = document
        self.resolver = yaml.resolver.Resolver()
        self.nodes = 0

    def read(self) -> None:
        """Fill the document. Raises ``_Stop`` and whatever PyYAML raises."""
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.document.data = self._value(next(self.events), (), 0)
                break
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                raise _Stop(_line(event), "a second document starts here: use one file for each")

    def _note(self, line: int, path: Path, message: str) -> None:
        self.document.problems.append(Found(line, path, message))

    def _value(self, event: Any, path: Path, depth: int) -> Any:
        line = _line(event)
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise _Stop(line, f"the file holds more than {MAX_NODES:,} values: it is no template")
        if depth > MAX_DEPTH:
            raise _Stop(line, f"the file is nested more than {MAX_DEPTH} levels deep: flatten it")
        self.document.lines.setdefault(path, line)
        if isinstance(event, yaml.AliasEvent):
            self._note(line, path, f"the alias {shown(event.anchor)} is not allowed: repeat it")
            return None
        if event.anchor is not None:
            self._note(line, path, f"the anchor {shown(event.anchor)} is not allowed: remove it")
        if event.tag is not None:
            self._note(line, path, f"the tag {shown(event.tag)} is not allowed: remove it")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path, depth)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(path, depth)
        return self._scalar(event)

    def _list(self, path: Path, depth: int) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            values.append(self._value(event, (*path, len(values)), depth + 1))
        return values

    def _mapping(self, path: Path, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        lines = self.document.lines
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            line = _line(event)
            key = self._value(event, (*path, ""), depth + 1)
            if not isinstance(key, str):
                self._note(line, path, f"a field name must be text, not {shown(key)}")
                self._value(next(self.events), (*path, ""), depth + 1)
                continue
            here = (*path, key)
            if key in values:
                message = f"{shown(key)} stands here again, first on line {lines[here]}"
                self._note(line, here, f"{message}: remove one of the two")
                self._value(next(self.events), here, depth + 1)
                continue
            lines[here] = line
            values[key] = self._value(next(self.events), here, depth + 1)
        return values

    def _scalar(self, event: Any) -> Any:
        raw = event.value
        if event.implicit[1]:
            return raw
        kind = self.resolver.resolve(yaml.ScalarNode, raw, (True, False)).rpartition(":")[2]
        match kind:
            case "str":
                return raw
            case "null":
                return None
            case "bool":
                return raw.lower() in {"true", "yes", "on"}
            case "int" if _INTEGER.fullmatch(raw):
                return int(raw)
            case _:
                return OddScalar(raw)
