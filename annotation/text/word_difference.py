"""Which words of two texts stand in one of them only. PURE."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from annotation.text.folding import fold

_TOKEN = re.compile(r"\w+(?:['’.,/-]\w+)*|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a text; ``shared`` when the other text has it too, in the same order."""

    text: str
    shared: bool


def word_difference(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    """Cut both texts into runs that are shared and runs that are not.

    Words are compared without case, and with typographic variants alike; blanks and punctuation
    never count as a difference. Joining the pieces of a side gives its text back.

    >>> [piece.text for piece in word_difference("July 18", "July 21")[0] if not piece.shared]
    ['18']
    """
    tokens, others = _TOKEN.findall(one), _TOKEN.findall(other)
    words, other_words = _words(tokens), _words(others)
    matcher = SequenceMatcher(
        None, [word for _, word in words], [word for _, word in other_words], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    shared = {words[b.a + i][0] for b in blocks for i in range(b.size)}
    other_shared = {other_words[b.b + i][0] for b in blocks for i in range(b.size)}
    return (
        _pieces(tokens, {i for i, _ in words} - shared),
        _pieces(others, {i for i, _ in other_words} - other_shared),
    )


def _words(tokens: list[str]) -> list[tuple[int, str]]:
    folded = ((i, fold(token).text.casefold()) for i, token in enumerate(tokens))
    return [(i, word) for i, word in folded if any(char.isalnum() for char in word)]


def _pieces(tokens: list[str], own: set[int]) -> list[Piece]:
    pieces: list[Piece] = []
    for i, token in enumerate(tokens):
        bridges = token.isspace() and i - 1 in own and i + 1 in own
        shared = i not in own and not bridges
        if pieces and pieces[-1].shared is shared:
            pieces[-1] = Piece(pieces[-1].text + token, shared)
        else:
            pieces.append(Piece(token, shared))
    return pieces
