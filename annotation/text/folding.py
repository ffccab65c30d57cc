"""Text as it is compared, with the way back to the text as it is stored. PURE.

Folding makes typographic variants alike (compatibility forms, quotes, dashes, blanks, characters
without width) and keeps case and words; :func:`search_form` goes further, so that a quote is
found whatever its writer did to its typography. Offsets are code points of the original text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_VARIANTS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    "\u2044": "/",
}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ASCII_ALIKE = (*((char, " ") for char in "\n\t\r\x0b\x0c\x1c\x1d\x1e\x1f"), ('"', "'"), ("`", "'"))


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` is the folded text; ``origins[i]`` is the offset its character i came from."""

    text: str
    origins: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original behind ``text[start:end]`` (which must not be empty)."""
        return self.origins[start], self.origins[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold ``text``, one character at a time, so that every offset can be traced back.

    >>> fold("July\\u00a018\\u20132025").text
    'July 18-2025'
    """
    if text.isascii():
        return Folded(text.replace("`", "'"), range(len(text)))
    parts: list[str] = []
    origins: list[int] = []
    for offset, char in enumerate(text):
        folded = _fold_char(char)
        parts.append(folded)
        origins.extend([offset] * len(folded))
    return Folded("".join(parts), origins)


def _fold_char(char: str) -> str:
    if char.isascii():
        return "'" if char == "`" else char
    if (variant := _VARIANTS.get(char)) is not None:
        return variant
    folded = "".join(_VARIANTS.get(c, c) for c in unicodedata.normalize("NFKC", char))
    return " " if folded.isspace() and folded not in "\n\r\t" else folded


def search_form(text: str) -> str:
    """``text`` with only its words and its punctuation left, to look for it in other texts.

    Beyond :func:`fold`: no case; one kind of quotation mark; a run of blanks is one blank, a run
    of hyphens one hyphen; three dots, also as one character or with blanks between, are three dots,
    more are four (a full stop and an ellipsis); accents stand behind their letters however they
    were written; nothing without width.

    >>> search_form("\\u201cThe\\u00a0 Court\\u201d \\u2026")
    "'the court' ..."
    """
    if not text.isascii():
        for char in set(_NOT_ASCII.findall(text)):
            text = text.replace(char, _search_char(char))
    # No character changes its length by lower() any more: the few that would are folded.
    text = text.lower()
    for char, alike in _ASCII_ALIKE:
        text = text.replace(char, alike)
    for marks, pattern, by in _RUNS:
        if any(mark in text for mark in marks):
            text = pattern.sub(by, text)
    return text


def fold_for_search(text: str) -> Folded:
    """:func:`search_form` of a text in which others are looked for, with the way back.

    >>> fold_for_search("a \\u2026 b").span(2, 5)
    (2, 3)
    """
    origins: Sequence[int] = range(len(text))
    if not text.isascii():
        longer = []
        for char in set(_NOT_ASCII.findall(text)):
            if len(_search_char(char)) == 1:
                text = text.replace(char, _search_char(char))
            else:
                longer.append(char)
        if longer:
            # A set of characters is found sooner in a long text than alternatives are.
            chars = re.compile("[" + "".join(map(re.escape, longer)) + "]")
            text, origins = _replace(text, origins, chars, lambda match: _search_char(match[0]))
    text = text.lower()
    for char, alike in _ASCII_ALIKE:
        text = text.replace(char, alike)
    for marks, pattern, by in _RUNS:
        if any(mark in text for mark in marks):
            text, origins = _replace(text, origins, pattern, by)
    return Folded(text, origins)


Replacement = Callable[[re.Match[str]], str]


def _dots(run: re.Match[str]) -> str:
    return "..." if run[0].count(".") == 3 else "...."


_RUNS: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacement], ...] = (
    (("  ",), re.compile("  +"), lambda _: " "),
    (("--",), re.compile("--+"), lambda _: "-"),
    (("..", ". ."), re.compile(r"\.(?: ?\.){2,}"), _dots),
)


def _replace(
    text: str, origins: Sequence[int], pattern: re.Pattern[str], by: Replacement
) -> tuple[str, Sequence[int]]:
    """Replace what matches; the last character put in leads to the end of what it stands for."""
    parts: list[str] = []
    if isinstance(origins, range):
        origins = array("q", np.arange(len(text), dtype=np.int64).tobytes())
    places = array("q")
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        put = by(match)
        parts.append(text[done:start] + put)
        places.extend(origins[done:start])
        if put:
            places.extend([origins[start]] * (len(put) - 1))
            places.append(origins[end - 1])
        done = end
    if not parts:
        return text, origins
    parts.append(text[done:])
    places.extend(origins[done:])
    return "".join(parts), places


@lru_cache(maxsize=4096)
def _search_char(char: str) -> str:
    folded = unicodedata.normalize("NFKD", _fold_char(char)).casefold().replace('"', "'")
    kept = (c for c in folded if unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f")
    return "".join(" " if c.isspace() else c for c in kept)
