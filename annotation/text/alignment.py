"""Where a quote stands in a text: exactly, but for its typography, nearly, or nowhere. PURE.

Models quote from memory: they change quotation marks and dashes, case and blanks, mistype or leave
out words, and leave out stretches with an ellipsis. Every span that is found is of the original
text: ``text[start:end]`` is what the text really says, and that is what is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from annotation.text.folding import fold_for_search

SCORE = 90.0
"""The least likeness of a fuzzy match, 0..100 (share of characters that need no editing)."""
LONGEST_FUZZY = 20_000
"""Longer quotes are only looked for as they are and folded: comparing costs their square."""

Span = tuple[int, int]


class Kind(StrEnum):
    """How a quote was found. The strings are stored."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    NOT_FOUND = "not_found"


class Reason(StrEnum):
    """Why a quote was not found."""

    BLANK = "blank"
    NOT_THERE = "not_there"
    TOO_LONG = "too_long"

    @property
    def sentence(self) -> str:
        """The reason for people."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.BLANK: "The quote is empty or holds nothing but blanks and marks.",
    Reason.NOT_THERE: "Nothing in the text is like the quote.",
    Reason.TOO_LONG: (
        f"The quote does not stand in the text word for word, and with more than {LONGEST_FUZZY:,} "
        "characters it is too long to look for anything like it."
    ),
}


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where a quote stands.

    ``spans``: half-open code-point offsets into the text, in its order, never empty and never
    overlapping; one unless the quote leaves stretches out with an ellipsis, none when it was not
    found. ``score``: likeness 0..100, 100 unless fuzzy, of the least alike piece. ``occurrences``:
    how often the text has the quote like this (1 for a quote with an ellipsis inside); the spans
    are those of the first. ``reason``: why it was not found.
    """

    kind: Kind
    spans: tuple[Span, ...] = ()
    score: float = 0.0
    occurrences: int = 0
    reason: Reason | None = None

    @property
    def found(self) -> bool:
        """Whether there are spans."""
        return self.kind is not Kind.NOT_FOUND


# A part of a quote in the folded text: [start, end), how it was found, its score.
_Place = tuple[int, int, Kind, float]

_BULLET = re.compile(r"(?:[-*+\u2022\u2023\u25e6\u25aa\u25cf\xb7]|\(?\d{1,3}[.)]|\([a-z]\))\s+")
_SAYS_SOMETHING = re.compile(r"[^\s.,;:!?'()\[\]*+\u2022\u2023\u25e6\u25aa\u25cf\xb7-]")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*\.\.\.\s*\]|\(\s*\.\.\.\s*\)|\.\.\.)\s*")

_MOST_OCCURRENCES = 50


class QuoteIndex:
    """A text in which quotes are looked for; built once, asked for every quote.

    ``text``: the text as it is stored. ``score``: the least likeness of a fuzzy match, 0..100.
    Building takes time in proportion to the text; a search does not grow with the square of
    anything but the quote, of at most ``LONGEST_FUZZY`` characters.

    >>> QuoteIndex("The Court\\u2019s order was vacated.").find("the court's order").spans
    ((0, 17),)
    """

    def __init__(self, text: str, *, score: float = SCORE) -> None:
        self.text = text
        self.score = score
        self._folded = fold_for_search(text)

    def find(self, quote: str) -> Alignment:
        """Where ``quote`` stands: exactly, folded, piece by piece at its ellipses, or nearly."""
        asked = quote.strip()
        if not asked or (not asked[0].isalnum() and not _core(fold_for_search(asked).text)):
            return Alignment(Kind.NOT_FOUND, reason=Reason.BLANK)
        start = self.text.find(asked)
        if start >= 0:
            more = self.text.count(asked, start + len(asked))
            return Alignment(Kind.EXACT, ((start, start + len(asked)),), 100.0, 1 + more)
        folded = fold_for_search(asked).text
        core = _core(folded)
        if not core:
            return Alignment(Kind.NOT_FOUND, reason=Reason.BLANK)
        for form in dict.fromkeys((folded.strip(), core)):
            start = self._folded.text.find(form)
            if start >= 0:
                more = self._folded.text.count(form, start + len(form))
                span = self._folded.span(start, start + len(form))
                return Alignment(Kind.NORMALISED, (span,), 100.0, 1 + more)
        pieces = [piece for piece in map(_core, _ELLIPSIS.split(core)) if piece]
        places = self._in_order(pieces) if len(pieces) > 1 else None
        if places is None:
            place = self._fuzzy(core, 0, len(self._folded.text))
            places = [place] if place else None
        if places is None:
            long = len(core) > LONGEST_FUZZY
            return Alignment(Kind.NOT_FOUND, reason=Reason.TOO_LONG if long else Reason.NOT_THERE)
        fuzzy = any(kind is Kind.FUZZY for _, _, kind, _ in places)
        return Alignment(
            Kind.FUZZY if fuzzy else Kind.NORMALISED,
            self._spans(places),
            min(score for *_, score in places),
            1,
        )

    def _spans(self, places: list[_Place]) -> tuple[Span, ...]:
        """The spans of the original, those that would overlap there joined."""
        spans: list[Span] = []
        for place in places:
            start, end = self._folded.span(place[0], place[1])
            if spans and start < spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))
        return tuple(spans)

    def _in_order(self, pieces: list[str]) -> list[_Place] | None:
        """The pieces of a quote, one after the other: first the longest, its neighbours next."""
        whole = len(self._folded.text)
        middle = max(range(len(pieces)), key=lambda i: len(pieces[i]))
        for place in self._places(pieces[middle]):
            places: list[_Place] = [place]
            for piece in reversed(pieces[:middle]):
                before = self._place(piece, 0, places[0][0], last=True)
                if before is None:
                    break
                places.insert(0, before)
            else:
                for piece in pieces[middle + 1 :]:
                    after = self._place(piece, places[-1][1], whole)
                    if after is None:
                        break
                    places.append(after)
                else:
                    return places
        return None

    def _places(self, piece: str) -> Iterator[_Place]:
        text = self._folded.text
        start = text.find(piece)
        if start < 0:
            place = self._fuzzy(piece, 0, len(text))
            if place:
                yield place
        for _ in range(_MOST_OCCURRENCES):
            if start < 0:
                return
            yield start, start + len(piece), Kind.NORMALISED, 100.0
            start = text.find(piece, start + 1)

    def _place(self, piece: str, low: int, high: int, *, last: bool = False) -> _Place | None:
        text = self._folded.text
        start = text.rfind(piece, low, high) if last else text.find(piece, low, high)
        if start >= 0:
            return start, start + len(piece), Kind.NORMALISED, 100.0
        return self._fuzzy(piece, low, high)

    def _fuzzy(self, quote: str, low: int, high: int) -> _Place | None:
        """What is most like ``quote`` (folded) in the folded text between two places."""
        if len(quote) > LONGEST_FUZZY or high - low < 1:
            return None
        text = self._folded.text
        found = fuzz.partial_ratio_alignment(quote, text[low:high], score_cutoff=self.score)
        if found is None or found.dest_end <= found.dest_start:
            return None
        return low + found.dest_start, low + found.dest_end, Kind.FUZZY, found.score


def _core(folded: str) -> str:
    """A folded quote without list bullet, outer ellipses and the quotation marks around it."""
    rest = folded.strip()
    before = None
    while before != rest:
        before = rest
        rest = rest.removeprefix("...").removesuffix("...").strip()
        bullet = _BULLET.match(rest)
        if bullet:
            rest = rest[bullet.end() :]
        if rest[:1] == "'" and (rest[-1:] == "'" or rest.count("'") == 1):
            rest = rest[1:].removesuffix("'").strip()
        elif rest[-1:] == "'" and rest.count("'") == 1:
            rest = rest[:-1].strip()
    return rest if _SAYS_SOMETHING.search(rest) else ""
