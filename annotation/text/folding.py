"""Text as it is compared, with the way back to the text as it is stored. PURE.

Folding makes typographic variants alike (compatibility forms, quotes, dashes, blanks, characters
without width) and keeps case and words. Offsets are code points of the original text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

_VARIANTS = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    "\u2044": "/",
}


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` is the folded text; ``origins[i]`` is the offset its character i came from."""

    text: str
    origins: range | list[int]

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
