"""YAML -> Template, or every problem at once with its line, its field and what to do. PURE."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from annotation.checklists.problems import InvalidTemplate, Problem, field_path
from annotation.checklists.schema import COLOURS, Template, build
from annotation.checklists.yaml_reader import MAX_CHARACTERS, Document, OddScalar, read_yaml
from annotation.errors import NotFound


def load_text(text: str, source: str) -> Template:
    """Read a template from YAML. ``source`` names it in messages: a path or a file name.

    Raises ``InvalidTemplate`` with every problem that could be found in one reading.
    """
    document = read_yaml(text)
    problems = [
        Problem(line, field_path(path, document.data), message)
        for line, path, message in document.problems
    ]
    if not isinstance(document.data, dict):
        if not problems:
            problems = [_no_template(document)]
        raise InvalidTemplate(problems, source=source)
    data = _filled(document.data)
    return build(data, source=source, lines=document.lines, problems=problems)


def load_bytes(data: bytes, source: str) -> Template:
    """Read a template from the bytes of a file, which must be UTF-8 (a byte order mark may lead).

    Raises ``InvalidTemplate``.
    """
    if len(data) > MAX_CHARACTERS:
        message = f"the file is too large: {len(data):,} bytes, at most {MAX_CHARACTERS:,}"
        raise InvalidTemplate([Problem(None, "", message)], source=source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"the file is not UTF-8 (byte {error.start + 1:,}): save it as UTF-8"
        raise InvalidTemplate([Problem(line, "", message)], source=source) from error
    return load_text(text, source)


@cache
def builtin_templates() -> Mapping[str, Template]:
    """The templates that come with the program, by key, in the order of their keys."""
    folder = files("annotation.checklists").joinpath("builtin")
    loaded = [
        load_bytes(file.read_bytes(), file.name)
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    ]
    return MappingProxyType({t.key: t for t in sorted(loaded, key=lambda template: template.key)})


def load_builtin(key: str) -> Template:
    """The built-in template with this key. Raises ``NotFound``, naming those there are."""
    templates = builtin_templates()
    if key not in templates:
        message = f"There is no built-in template '{key}'. There are: {', '.join(templates)}."
        raise NotFound(message)
    return templates[key]


def _no_template(document: Document) -> Problem:
    if document.data is None:
        return Problem(None, "", "the file is empty: a template starts with 'key:' and 'name:'")
    message = "a template is a block of fields (key:, name:, groups:, items: ...), and this is not"
    return Problem(document.lines.get(()), "", message)


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` with what a file may leave out or write bare: version, order and icons of groups."""
    version, groups = data.get("version"), data.get("groups")
    if isinstance(version, int | OddScalar) and not isinstance(version, bool):
        data = {**data, "version": str(version)}
    if isinstance(groups, list):
        numbered = [
            {"order": place, "icon": _icon(group), **group} if isinstance(group, dict) else group
            for place, group in enumerate(groups, start=1)
        ]
        data = {**data, "groups": numbered}
    return data


def _icon(group: dict[str, Any]) -> str:
    colour = group.get("colour")
    return colour if isinstance(colour, str) and colour in COLOURS else COLOURS[0]
