"""What a checklist template is: the ordered items of a domain, in groups. PURE.

A ``Template`` is frozen. It is made by ``annotation.checklists.loader`` from YAML, or by
``Template.from_json`` from what a database row or a bundle holds; both report every problem.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from annotation.checklists import consistency, cues
from annotation.checklists.names import OUTSIDE, is_outside, normalise_name
from annotation.checklists.problems import (
    Fault,
    InvalidTemplate,
    Path,
    Problem,
    locate,
    sentence,
)

__all__ = [
    "COLOURS",
    "OUTSIDE",
    "Group",
    "Item",
    "Noun",
    "Nouns",
    "Template",
    "build",
    "is_outside",
    "normalise_name",
]

COLOURS = tuple(f"group-{number}" for number in range(1, 10))
"""Hue tokens of the style sheet that a group may take."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _refusal(message: str, kind: str = "form") -> PydanticCustomError:
    return PydanticCustomError(kind, "{message}", {"message": message})


def _like(pattern: str, message: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise _refusal(message)
        return text

    return AfterValidator(check)


def _printable(text: str) -> str:
    if match := _CONTROL.search(text):
        raise _refusal(f"the character U+{ord(match[0]):04X} is not allowed: remove it")
    return text


def _safe_cue(pattern: str) -> str:
    if reason := cues.fault(pattern):
        raise _refusal(reason)
    return pattern


def _in_order(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=lambda group: group.order))


def _entries(most: int, least: int = 0) -> Any:
    return Field(min_length=least, max_length=most, strict=False)


Text = Annotated[str, StringConstraints(max_length=4000), AfterValidator(_printable)]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=4000), AfterValidator(_printable)]
Label = Annotated[
    str,
    StringConstraints(min_length=1, max_length=120),
    AfterValidator(_printable),
    _like(r"[^\n\t]*", "this must stand on one line"),
]
Key = Annotated[
    str,
    _like(
        r"[a-z][a-z0-9_]{0,59}",
        "use small letters, digits and underscores, a letter first, at most 60",
    ),
]
TemplateKey = Annotated[
    str,
    StringConstraints(max_length=80),
    _like(
        r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*",
        "use small letters and digits, a letter first, joined by single hyphens",
    ),
]
Version = Annotated[
    str, _like(r"[0-9A-Za-z][0-9A-Za-z._-]{0,39}", "use a short mark such as 1 or 2.1")
]
Language = Annotated[
    str, _like(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}", "use a language tag such as en or en-GB")
]
Colour = Annotated[str, _like("|".join(COLOURS), f"use one of {COLOURS[0]} to {COLOURS[-1]}")]
Icon = Annotated[str, _like(r"[a-z][a-z0-9-]{0,39}", "use the name of an icon, such as eye")]
Code = Annotated[str, _like(r"(?:[A-Z][A-Z0-9]{0,3})?", "use one to four capitals or digits")]
Cue = Annotated[str, StringConstraints(min_length=1), AfterValidator(_safe_cue)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, str_strip_whitespace=True)


class Noun(_Frozen):
    """What the domain calls a thing: ``one`` lawsuit, ``many`` lawsuits."""

    one: Label
    many: Label


class Nouns(_Frozen):
    """The domain's words for prompts and pages.

    ``case`` is what one set of documents is about, ``summary`` any text that is graded,
    ``reference`` the text it is graded against, ``document`` one source text of a case.
    """

    case: Noun
    summary: Noun
    reference: Noun
    document: Noun = Noun(one="document", many="documents")


class Group(_Frozen):
    """Items that belong together.

    ``colour`` is a hue token and ``icon`` a name of the icon set, so that no group is told by its
    colour alone; each hue token is the name of an icon, too.
    """

    key: Key
    label: Label
    colour: Colour
    icon: Icon
    order: Annotated[int, Field(ge=1, le=999)]


class Item(_Frozen):
    """One thing to look for in a text.

    ``code`` is a short mark where a label has no room. ``question`` puts the item as a question.
    ``aliases`` are other names under which data may call it. The three flags are hints for pages,
    never rules: the item is found in nearly every text (``usually_present``), has at most one
    value (``usually_single``), or has values that are copied from the text (``literal``).
    """

    key: Key
    code: Code = ""
    label: Label
    question: Text = ""
    group: str
    aliases: Annotated[tuple[Label, ...], _entries(60)] = ()
    definition: Prose
    value_format: Text = ""
    examples: Annotated[tuple[Prose, ...], _entries(20)] = ()
    counter_examples: Annotated[tuple[Prose, ...], _entries(20)] = ()
    cues: Annotated[tuple[Cue, ...], _entries(40)] = ()
    usually_present: bool = False
    usually_single: bool = False
    literal: bool = False

    def find_cues(self, text: str) -> list[tuple[int, int]]:
        """Places ``[start, end)`` of ``text``, in code points, that signal this item."""
        return cues.find(self.cues, text)


class Template(_Frozen):
    """A checklist: the items in the order in which they are worked, and their groups."""

    key: TemplateKey
    name: Label
    version: Version
    language: Language
    description: Text = ""
    nouns: Nouns
    groups: Annotated[tuple[Group, ...], _entries(40, least=1), AfterValidator(_in_order)]
    items: Annotated[tuple[Item, ...], _entries(300, least=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        found = "; ".join(fault.message for fault in consistency.faults(self.to_json()))
        if found:
            raise _refusal(found, "inconsistent")
        return self

    @cached_property
    def _by_name(self) -> dict[str, Item]:
        return {
            normalise_name(name): item
            for item in self.items
            for name in (item.key, item.label, *item.aliases)
        }

    @cached_property
    def _by_key(self) -> dict[str, Item]:
        return {item.key: item for item in self.items}

    @property
    def item_keys(self) -> tuple[str, ...]:
        """Keys of all items, in order."""
        return tuple(item.key for item in self.items)

    def item(self, key: str) -> Item:
        """The item with exactly this key. Raises ``KeyError`` when there is none."""
        return self._by_key[key]

    def item_for(self, name: str) -> Item | None:
        """The item that ``name`` means by key, label or alias in any spelling, or None."""
        return self._by_name.get(normalise_name(name))

    def key_for(self, name: str) -> str | None:
        """The key of :meth:`item_for`, or None: what readers of files take to resolve names."""
        item = self.item_for(name)
        return item.key if item else None

    def nearest_item(self, name: str) -> Item | None:
        """The item whose name is most like a ``name`` that names none: a hint for messages."""
        close = difflib.get_close_matches(normalise_name(name)[:200], self._by_name, n=1)
        return self._by_name[close[0]] if close else None

    def group(self, key: str) -> Group:
        """The group with this key. Raises ``KeyError`` when there is none."""
        return {group.key: group for group in self.groups}[key]

    def items_in(self, group: str) -> tuple[Item, ...]:
        """Items of the group with this key, in order."""
        return tuple(item for item in self.items if item.group == group)

    def to_json(self) -> dict[str, Any]:
        """JSON data (dicts, lists, text, numbers) that ``from_json`` gives back as it was.

        Fields at their default are left out, so a field that is added to the schema one day does
        not change the hash of the templates that do not use it.
        """
        return self.model_dump(mode="json", exclude_defaults=True)

    def content_hash(self) -> str:
        """SHA-256, as 64 hex digits, of the canonical JSON: keys sorted, no blanks, UTF-8."""
        canonical = json.dumps(
            self.to_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )
        return hashlib.sha256(canonical.encode()).hexdigest()

    @classmethod
    def from_json(cls, data: object, *, source: str = "stored template") -> Template:
        """Read what ``to_json`` wrote. Raises ``InvalidTemplate`` with every problem."""
        return build(data, source=source)


def build(
    data: object,
    *,
    source: str,
    lines: Mapping[Path, int] | None = None,
    problems: Iterable[Problem] = (),
) -> Template:
    """Check plain data and make a template of it.

    ``lines`` gives the lines of paths of ``data``; ``problems`` are those found on the way here.
    Raises ``InvalidTemplate`` with these and every problem of the data.
    """
    found = list(problems)
    template, faults = _validated(data)
    told = {(problem.line, problem.field) for problem in found}
    for fault in faults:
        problem = locate(fault, data, lines or {})
        if (problem.line, problem.field) not in told:
            found.append(problem)
    if found or template is None:
        raise InvalidTemplate(found, source=source)
    return template


def _validated(data: object) -> tuple[Template | None, list[Fault]]:
    try:
        return Template.model_validate(data), []
    except ValidationError as error:
        details = error.errors(include_url=False)
    faults = [
        Fault(detail["loc"], sentence(detail, _known_fields(detail["loc"])))
        for detail in details
        if detail["type"] != "inconsistent" and not _is_echo(detail)
    ]
    if isinstance(data, Mapping):
        faults.extend(consistency.faults(data))
    return None, faults or [Fault((), str(detail["msg"])) for detail in details]


def _is_echo(detail: Any) -> bool:
    """pydantic calls a list empty when all its entries are wrong, which is told of each already."""
    return detail["type"] == "too_short" and len(detail["input"]) > 0


def _known_fields(path: Path) -> list[str]:
    models: dict[str | int, type[BaseModel]] = {"groups": Group, "items": Item, "nouns": Nouns}
    if len(path) <= 1:
        return list(Template.model_fields)
    if path[0] == "nouns" and len(path) > 2:
        return list(Noun.model_fields)
    return list(models.get(path[0], Template).model_fields)
