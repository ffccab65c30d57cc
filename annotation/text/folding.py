"""Text as it is compared, with the way back to the text as it is stored. PURE.

Folding makes typographic variants alike (compatibility forms, quotes, dashes, blanks, characters
without width) and keeps case and words; :func:`fold_for_search` goes further, so that a quote is
found whatever its writer did to its typography. Offsets are code points of the original text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
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
_BLANKS, _HYPHENS, _DOTS = (re.compile(p) for p in ("  +", "--+", r"\.(?: ?\.){2,}"))


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


def fold_for_search(text: str) -> Folded:
    """Fold ``text`` so far that only its words and its punctuation are left.

    Beyond :func:`fold`: no case; one kind of quotation mark; a run of blanks is one blank, a run
    of hyphens one hyphen, three or more dots (also as one character, or with blanks between) three
    dots; accents stand behind their letters however they were written; nothing without width.

    >>> fold_for_search("\\u201cThe\\u00a0 Court\\u201d \\u2026").text
    "'the court' ..."
    """
    wide: dict[str, str] = {}
    if not text.isascii():
        for char in sorted(set(_NOT_ASCII.findall(text))):
            folded = _fold_char_for_search(char)
            if len(folded) == 1:
                text = text.replace(char, folded)
            else:
                wide[char] = folded
    origins: Sequence[int] = range(len(text))
    if wide:
        # A charset finds its place in a long text sooner than alternatives do.
        chars = re.compile("[" + "".join(map(re.escape, wide)) + "]")
        text, origins = _replace(text, origins, chars, wide)
    # No character changes its length by lower() any more: the few that would are folded.
    text = text.lower()
    for char, alike in _ASCII_ALIKE:
        text = text.replace(char, alike)
    if "  " in text:
        text, origins = _replace(text, origins, _BLANKS, " ")
    if "--" in text:
        text, origins = _replace(text, origins, _HYPHENS, "-")
    if ".." in text or ". ." in text:
        text, origins = _replace(text, origins, _DOTS, "...")
    return Folded(text, origins)


def _replace(
    text: str, origins: Sequence[int], pattern: re.Pattern[str], by: str | dict[str, str]
) -> tuple[str, Sequence[int]]:
    """Replace what matches; the last character put in leads to the end of what it stands for."""
    parts: list[str] = []
    if isinstance(origins, range):
        origins = array("q", np.arange(len(text), dtype=np.int64).tobytes())
    places = array("q")
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        put = by if isinstance(by, str) else by[match[0]]
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
def _fold_char_for_search(char: str) -> str:
    folded = unicodedata.normalize("NFKD", _fold_char(char)).casefold().replace('"', "'")
    kept = (c for c in folded if unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f")
    return "".join(" " if c.isspace() else c for c in kept)
