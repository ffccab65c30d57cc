"""The text of an HTML page: what a reader sees, a paragraph a paragraph. PURE.

The standard library's parser is enough: it never fails on tag soup, runs no script, loads nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

_UNSEEN = {"script", "style", "template", "title", "noscript", "svg"}
_PARAGRAPHS = {
    *("address", "article", "aside", "blockquote", "body", "center", "dl", "fieldset", "figure"),
    *("footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol"),
    *("p", "pre", "section", "table", "ul"),
}
_LINES = {"br", "caption", "dd", "div", "dt", "figcaption", "legend", "li", "option", "tr"}
_CELLS = {"td", "th"}
_BLANKS = re.compile(r"[ \t\n\r\f\v]+")
# Where a tag that nobody closed stops hiding text: its end tag is missing, its page goes on.
_ENDS_HIDING = {"body", "p", "div", "table", "h1", "h2"}


def html_text(page: str, repairs: Counter[str]) -> str:
    """The visible text of ``page``: blocks on lines of their own, entities decoded.

    Paragraphs and headings are set off by an empty line, cells of a row by a tab; runs of blanks
    are one blank except in ``pre``. Scripts, styles and the title are left out. A script or style
    that never ends is counted in ``repairs`` as ``html_unclosed`` (the browser shows nothing after
    it either).
    """
    reader = _Reader()
    reader.feed(page)
    hidden = reader.cdata_elem is not None or bool(reader.hidden)
    reader.close()
    if hidden:
        repairs["html_unclosed"] += 1
    return reader.text()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.hidden: list[str] = []
        self._pre = 0
        self._lines: list[str] = []
        self._line: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.hidden and tag in _ENDS_HIDING and "svg" not in self.hidden:
            self.hidden.clear()
        if tag in _UNSEEN:
            self.hidden.append(tag)
        elif tag in _PARAGRAPHS:
            self._break(empty=True)
        elif tag in _LINES:
            self._break()
        elif tag in _CELLS and "".join(self._line).strip():
            self._line.append("\t")
        self._pre += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _UNSEEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]
        elif tag in _PARAGRAPHS:
            self._break(empty=True)
        elif tag in _LINES - {"br"}:
            self._break()
        if tag == "pre" and self._pre:
            self._pre -= 1

    def handle_data(self, data: str) -> None:
        if self.hidden:
            return
        if self._pre:
            first, *others = data.replace("\r\n", "\n").split("\n")
            self._line.append(first)
            for line in others:
                self._break(keep=True)
                self._line.append(line)
        else:
            self._line.append(_BLANKS.sub(" ", data))

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        # The library's own fails on what it does not know; browsers see a comment.
        return self.parse_bogus_comment(i, bool(report))

    def text(self) -> str:
        self._break()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip("\n")

    def _break(self, *, empty: bool = False, keep: bool = False) -> None:
        joined = "".join(self._line)
        line = joined.rstrip() if keep or self._pre else _tidy(joined)
        self._line = []
        if line or keep:
            self._lines.append(line)
        if empty and self._lines and self._lines[-1]:
            self._lines.append("")


def _tidy(line: str) -> str:
    return re.sub(" *\t *", "\t", re.sub(" {2,}", " ", line)).strip(" \t")
