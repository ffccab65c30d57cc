"""What a rendered page may not hold, and which keys it declares. No Django.

Other suites may use these on their own pages::

    assert not key_clashes(html)
    assert not undocumented_keys(html)
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"})
VOID |= {"source", "track", "wbr"}
LOADING = frozenset({"src", "srcset", "poster", "data", "xlink:href"})
LOADED_BY_HREF = frozenset({"link", "use", "image", "base"})


@dataclass
class _Element:
    tag: str
    attrs: dict[str, str]
    scope: int


@dataclass
class Page(HTMLParser):
    """A page read once: its elements with the key scope each stands in."""

    html: str
    elements: list[_Element] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, int]] = [("", 0)]
        self._scopes = 0
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        scope = self._open[-1][1]
        self.elements.append(_Element(tag, named, scope))
        if "id" in named:
            self.ids.append(named["id"])
        if tag == "dialog" or "data-key-scope" in named:
            self._scopes += 1
            scope = self._scopes
        if tag not in VOID:
            self._open.append((tag, scope))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(_Element(tag, {n: v or "" for n, v in attrs}, self._open[-1][1]))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self._open) - 1, 0, -1):
            if self._open[depth][0] == tag:
                del self._open[depth:]
                return


def canonical(chord: str) -> str:
    """One spelling of a chord, as keys.js reads it: ``X`` is ``Shift+x``."""
    *modifiers, key = ["+"] if chord == "+" else chord.split("+")
    held = set(modifiers)
    if len(key) == 1 and key != key.lower():
        held.add("Shift")
    order = [name for name in ("Mod", "Alt", "Shift") if name in held]
    return "+".join([*order, key.lower() if len(key) == 1 else key])


def declared_keys(html: str) -> dict[int, list[str]]:
    """Scope -> the chords declared in it, hidden and disabled elements included."""
    found: dict[int, list[str]] = defaultdict(list)
    for element in Page(html).elements:
        text = element.attrs.get("data-keys") or element.attrs.get("data-key") or ""
        found[element.scope].extend(canonical(chord) for chord in text.split())
    return dict(found)


def key_clashes(html: str) -> list[str]:
    """Chords that two elements of one scope want."""
    return sorted(
        {
            chord
            for chords in declared_keys(html).values()
            for chord in chords
            if chords.count(chord) > 1
        }
    )


def undocumented_keys(html: str) -> list[str]:
    """Declared chords that the help dialog of the page does not list (``data-chord``)."""
    listed = {
        canonical(e.attrs["data-chord"]) for e in Page(html).elements if "data-chord" in e.attrs
    }
    declared = {chord for chords in declared_keys(html).values() for chord in chords}
    return sorted(declared - listed)


def inline_code(html: str) -> list[str]:
    """Script and style that the content security policy would block."""
    problems = []
    for element in Page(html).elements:
        if element.tag == "style" or (element.tag == "script" and "src" not in element.attrs):
            problems.append(f"<{element.tag}>")
        for name, value in element.attrs.items():
            if name == "style" or name.startswith(("on", "hx-on")):
                problems.append(f"<{element.tag} {name}>")
            if value.strip().lower().startswith("javascript:"):
                problems.append(f"<{element.tag} {name}={value}>")
    return problems


def foreign_loads(html: str) -> list[str]:
    """Addresses of other hosts that the page would load without a click."""
    problems = []
    for element in Page(html).elements:
        for name, value in element.attrs.items():
            loads = name in LOADING or (name == "href" and element.tag in LOADED_BY_HREF)
            if loads and value.strip().lower().startswith(("http:", "https:", "//")):
                problems.append(f"<{element.tag} {name}={value}>")
    return problems


def duplicate_ids(html: str) -> list[str]:
    """Ids that stand more than once on the page."""
    ids = Page(html).ids
    return sorted({name for name in ids if ids.count(name) > 1})
