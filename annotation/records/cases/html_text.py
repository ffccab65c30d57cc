"""The text of an HTML page: what a reader sees, a paragraph a paragraph. PURE.

Pages come from strangers, so the reading must take time in proportion to their length and never
fail. The parser of the standard library needs minutes for some pages of a few kilobytes, so tags
are told from text here, by the rules of the HTML standard; only entities are left to the library.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

_UNSEEN = {"template", "noscript", "svg"}
_RAW = {"script", "style", "title", "iframe", "noembed", "noframes"}
_PARAGRAPHS = {
    *("address", "article", "aside", "blockquote", "body", "center", "dl", "fieldset", "figure"),
    *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol"),
    *("p", "pre", "section", "table", "ul"),
}
_LINES = {"br", "caption", "dd", "div", "dt", "figcaption", "legend", "li", "option", "tr"}
_CELLS = {"td", "th"}
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
# A quotation mark opens a value only behind "="; everything is possessive: no way leads back.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|))*+(?P<closed>>?)"
)
_BOGUS = re.compile(r"<(?:[!?]|/[^A-Za-z])")

# A piece of a page: text, or "" and the name of a tag with whether it is an end tag.
_Piece = tuple[str, str, bool]


def html_text(page: str, repairs: Counter[str]) -> str:
    """The visible text of ``page``: blocks on lines of their own, entities decoded.

    Paragraphs and headings are set off by an empty line, cells of a row by a tab; runs of blanks
    are one blank except in ``pre``. Scripts, styles and the title are left out. A page that ends
    within something unseen (a script, a comment, a tag) is counted in ``repairs`` as
    ``html_unclosed``: browsers show nothing after it either.
    """
    reader = _Reader()
    for text, tag, is_end in _pieces(page, repairs):
        if not tag:
            reader.text(unescape(text))
        elif is_end:
            reader.end(tag)
        else:
            reader.start(tag)
    if reader.is_hidden:
        repairs["html_unclosed"] += 1
    return reader.finish()


def _pieces(page: str, repairs: Counter[str]) -> Iterator[_Piece]:
    at, never_ends = 0, set[str]()
    while at < len(page):
        opening = page.find("<", at)
        if opening < 0:
            yield page[at:], "", False
            return
        if opening > at:
            yield page[at:opening], "", False
        found = _TAG.match(page, opening)
        if found is None:
            at = _behind_comment(page, opening)
            if at < 0:
                repairs["html_unclosed"] += 1
                return
            if at == opening:
                yield "<", "", False
                at += 1
            continue
        if not found["closed"]:
            repairs["html_unclosed"] += 1
            return
        at = found.end()
        name, is_end = found["name"].lower(), bool(found["end"])
        if name not in _RAW:
            yield "", name, is_end
        elif not is_end and name not in never_ends:
            end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, at)
            if end is not None:
                at = end.start()
            elif name == "title":
                # Its end tag was forgotten: better a title in the text than a text without a page.
                never_ends.add(name)
            else:
                repairs["html_unclosed"] += 1
                return


def _behind_comment(page: str, at: int) -> int:
    """The place behind the comment at ``at``; ``at`` if there is none, -1 if it never ends."""
    if page.startswith("<!--", at):
        end = page.find("-->", at + 2)
        return end if end < 0 else end + 3
    if _BOGUS.match(page, at):
        end = page.find(">", at)
        return end if end < 0 else end + 1
    return at


class _Reader:
    def __init__(self) -> None:
        self._hidden: Counter[str] = Counter()
        self._pre = 0
        self._lines: list[str] = []
        self._line: list[str] = []
        self._says_something = False

    @property
    def is_hidden(self) -> bool:
        return bool(self._hidden)

    def start(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._hidden[tag] += 1
        elif tag in _PARAGRAPHS:
            self._break(empty=True)
        elif tag in _LINES:
            self._break()
        elif tag in _CELLS and self._says_something:
            self._line.append("\t")
        self._pre += tag == "pre"

    def end(self, tag: str) -> None:
        if tag in self._hidden:
            self._hidden[tag] -= 1
            self._hidden = +self._hidden
        elif tag in _PARAGRAPHS:
            self._break(empty=True)
        elif tag in _LINES - {"br"}:
            self._break()
        if tag == "pre" and self._pre:
            self._pre -= 1

    def text(self, data: str) -> None:
        if self._hidden:
            return
        if not self._pre:
            self._add(_BLANKS.sub(" ", data))
            return
        first, *others = data.replace("\r\n", "\n").split("\n")
        self._add(first)
        for line in others:
            self._break(keep=True)
            self._add(line)

    def finish(self) -> str:
        self._break()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip("\n")

    def _add(self, text: str) -> None:
        self._line.append(text)
        self._says_something = self._says_something or bool(text.strip())

    def _break(self, *, empty: bool = False, keep: bool = False) -> None:
        joined = "".join(self._line)
        line = joined.rstrip() if keep or self._pre else _tidy(joined)
        self._line, self._says_something = [], False
        if line or keep:
            self._lines.append(line)
        if empty and self._lines and self._lines[-1]:
            self._lines.append("")


def _tidy(line: str) -> str:
    return "\t".join(re.sub(" {2,}", " ", cell).strip(" ") for cell in line.split("\t")).strip()
