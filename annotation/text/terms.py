"""The words of a text that carry its content, in a form that can be compared. PURE.

English only in what it leaves out and cuts off; words of other languages pass unchanged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from annotation.text.folding import fold

_HONORIFICS = (
    "mr mrs ms miss mx dr prof professor sir dame lord lady hon honorable honourable judge justice "
    "magistrate chief rev reverend"
)
# "no", "not" and "without" stay: they turn a sentence round.
_STOP_WORDS = (
    "a an the of to in on at by for from with as and or that this these those it its is are was "
    "were be been being has have had do does did which who whom whose their his her they them he "
    "she i we our you your there then than so such also any all each other into over under upon "
    "about between during after before until while when where what how if but because can could "
    "may might shall should will would must said per via etc vs v"
)
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
HONORIFICS = frozenset(_HONORIFICS.split())
STOP_WORDS = frozenset(_STOP_WORDS.split())
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_WORD = re.compile(r"[^\W_]+(?:['.&][^\W_]+)*")
_SUFFIXES = (
    *("ations", "ation", "ings", "ing", "ions", "ion", "ments", "ment", "ies", "ied", "es", "ed"),
    *("als", "al", "ly", "s", "y", "e"),
)
# A stem shorter than this says too little: "sing", "red", "use" stay whole.
_SHORTEST_STEM = 4


class Term(NamedTuple):
    """One content word: its compared ``form``, its place in the original, and its looks."""

    form: str
    start: int
    end: int
    capitalised: bool


def plain_word(word: str) -> str:
    """Lower case, without dots and a possessive ending.

    >>> plain_word("U.S."), plain_word("Noem's")
    ('us', 'noem')
    """
    return re.sub(r"'s?$", "", word).replace(".", "").replace("'", "").casefold()


def stem(word: str) -> str:
    """``word`` (plain) without its inflection, so that ``granted`` meets ``grants``.

    A crude suffix cut, applied alike to both texts; it need not give real words.

    >>> stem("terminated"), stem("terminations"), stem("judge")
    ('termin', 'termin', 'judg')
    """
    if number := _ORDINALS.get(word):
        return _ordinal(number)
    if not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word.removesuffix(suffix)
            break
    return word.removesuffix("at") if len(word) > _SHORTEST_STEM + 1 else word


def content_terms(text: str) -> list[Term]:
    """The content words of ``text`` in order: no stop words, no titles of persons."""
    folded = fold(text)
    terms = []
    for match in _WORD.finditer(folded.text):
        word = plain_word(match[0])
        before = folded.text[max(0, match.start() - 3) : match.start()].rstrip()
        # "Group A" is another group than "Group B"; "A group" is any.
        letter = match[0] in ("A", "I") and before and before[-1] not in ".!?:;"
        if word and (letter or word not in STOP_WORDS | HONORIFICS):
            terms.append(Term(stem(word), *folded.span(*match.span()), match[0][0].isupper()))
    return terms


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{endings.get(number, 'th')}"
