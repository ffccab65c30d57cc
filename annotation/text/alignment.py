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
from itertools import islice
from typing import NamedTuple

from annotation.text.folding import fold_for_search, search_form
from annotation.text.nearness import LONGEST, NearIndex

SCORE = 90.0
"""The least likeness of a fuzzy match, 0..100: the share of characters that need no editing, see
:meth:`annotation.text.nearness.NearIndex.best`."""
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
        f"The quote does not stand in the text word for word, and with more than {LONGEST:,} "
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


class _Place(NamedTuple):
    """Where a piece of a quote stands in the folded text."""

    start: int
    end: int
    score: float | None  # None: word for word


class _Reading(NamedTuple):
    """A folded quote, or a piece of one, and what it can mean.

    ``forms``: as it is; without bullet and outer ellipses; without the quotation marks around it.
    ``nearest``: the one of these to be compared with what is only like it. ``written``: the whole
    quote, unfolded.
    """

    whole: str
    forms: tuple[str, ...]
    nearest: str
    written: str


_BULLET = re.compile(r"(?:[-*+\u2022\u2023\u25e6\u25aa\u25cf\xb7]|\(?\d{1,3}[.)]|\([a-z]\))\s+")
_SAYS_SOMETHING = re.compile(
    r"[^\s.,;:!?'\"\u2018-\u201f\u2026\u200b-\u200f\ufeff()\[\]*+\u2022\u2023\u25e6\u25aa\u25cf\xb7-]"
)
# Of four dots the first ends a sentence.
_ELLIPSIS = re.compile(r"\s*(?:\[ ?\.{3,4} ?\]|\( ?\.{3,4} ?\)|\.\.\.(?!\.))\s*")
_MOST_PIECES = 20
_MOST_OCCURRENCES = 20


class QuoteIndex:
    """A text in which quotes are looked for; built once, asked for every quote.

    ``text``: the text as it is stored. ``score``: the least likeness of a fuzzy match, 0..100.
    Building takes time in proportion to the text. A search takes time in proportion to the text
    and, unless the quote stands there word for word, to the square of the quote, up to
    ``nearness.LONGEST`` characters of it.

    >>> QuoteIndex("The Court\\u2019s order was vacated.").find("the court's order").spans
    ((0, 17),)
    """

    def __init__(self, text: str, *, score: float = SCORE) -> None:
        self.text = text
        self.score = score
        self._folded = fold_for_search(text)
        self._near = NearIndex(self._folded.text)

    def find(self, quote: str) -> Alignment:
        """Where ``quote`` stands: word for word, folded, piece by piece at its ellipses, nearly.

        Blanks around it do not count, nor does what models put around a quote and the text does
        not have: quotation marks, a list bullet, ellipses.
        """
        asked = quote.strip()
        start = self.text.find(asked)
        if start >= 0 and _SAYS_SOMETHING.search(asked):
            end = start + len(asked)
            return Alignment(Kind.EXACT, ((start, end),), 100.0, 1 + self.text.count(asked, end))
        reading = _read(search_form(asked), asked)
        if reading is None:
            return Alignment(Kind.NOT_FOUND, reason=Reason.BLANK)
        place = next(self._word_for_word(reading), None)
        if place is not None:
            found = self._folded.text[place.start : place.end]
            more = self._folded.text.count(found, place.end)
            span = self._folded.span(place.start, place.end)
            return Alignment(Kind.NORMALISED, (span,), 100.0, 1 + more)
        places = self._pieces(reading)
        if not places:
            place = self._nearly(reading, 0, len(self._folded.text))
            if place is None:
                long = len(reading.nearest) > LONGEST
                return Alignment(
                    Kind.NOT_FOUND, reason=Reason.TOO_LONG if long else Reason.NOT_THERE
                )
            places = [place]
        scores = [place.score for place in places if place.score is not None]
        kind = Kind.FUZZY if scores else Kind.NORMALISED
        return Alignment(kind, self._spans(places), min(scores, default=100.0), 1)

    def _word_for_word(
        self, reading: _Reading, low: int = 0, high: int | None = None
    ) -> Iterator[_Place]:
        """Every place of the first form that the folded text has, then of the next."""
        text = self._folded.text
        for form in reading.forms:
            start = text.find(form, low, high)
            while start >= 0:
                yield self._with_its_wrapping(start, start + len(form), None, form, reading)
                start = text.find(form, start + 1, high)

    def _nearly(self, reading: _Reading, low: int, high: int) -> _Place | None:
        near = self._near.best(reading.nearest, self.score, low, high, written=reading.written)
        return near and self._with_its_wrapping(*near, reading.nearest, reading)

    def _with_its_wrapping(
        self, start: int, end: int, score: float | None, form: str, reading: _Reading
    ) -> _Place:
        """A place, with what was left off of the quote if the text has it there."""
        if len(form) < len(reading.whole):
            text = self._folded.text
            before, _, after = reading.whole.partition(form)
            if before.strip() and text.endswith(before, 0, start):
                start -= len(before)
            elif before[-1:] == "'" and text.endswith("'", 0, start):
                start -= 1
            if after.strip() and text.startswith(after, end):
                end += len(after)
            elif after[:1] == "'" and text.startswith("'", end):
                end += 1
        return _Place(start, end, score)

    def _pieces(self, reading: _Reading) -> list[_Place]:
        """The places of the pieces of a quote with ellipses, in order; empty when not all are.

        The longest piece comes first, then its neighbours, each as near as it stands.
        """
        if "..." not in reading.nearest:
            return []
        pieces = [
            piece
            for part in _ELLIPSIS.split(reading.nearest)
            if (piece := _read(part, reading.written))
        ]
        if not 1 < len(pieces) <= _MOST_PIECES:
            return []
        middle = max(range(len(pieces)), key=lambda i: len(pieces[i].whole))
        for place in self._places(pieces[middle]):
            places = [place]
            for piece in reversed(pieces[:middle]):
                before = self._last(piece, places[0].start)
                if before is None:
                    break
                places.insert(0, before)
            else:
                for piece in pieces[middle + 1 :]:
                    after = self._first(piece, places[-1].end)
                    if after is None:
                        break
                    places.append(after)
                else:
                    return self._wrapped(places, reading)
        return []

    def _wrapped(self, places: list[_Place], reading: _Reading) -> list[_Place]:
        first, last = places[0], places[-1]
        whole = self._with_its_wrapping(first.start, last.end, None, reading.nearest, reading)
        places[0] = places[0]._replace(start=whole.start)
        places[-1] = places[-1]._replace(end=whole.end)
        return places

    def _places(self, piece: _Reading) -> Iterator[_Place]:
        yield from islice(self._word_for_word(piece), _MOST_OCCURRENCES)
        place = self._nearly(piece, 0, len(self._folded.text))
        if place is not None:
            yield place

    def _first(self, piece: _Reading, low: int) -> _Place | None:
        """The first place of a piece from ``low`` on."""
        place = next(self._word_for_word(piece, low), None)
        return place or self._nearly(piece, low, len(self._folded.text))

    def _last(self, piece: _Reading, high: int) -> _Place | None:
        """The last place of a piece up to ``high``."""
        text = self._folded.text
        for form in piece.forms:
            start = text.rfind(form, 0, high)
            if start >= 0:
                return self._with_its_wrapping(start, start + len(form), None, form, piece)
        return self._nearly(piece, 0, high)

    def _spans(self, places: list[_Place]) -> tuple[Span, ...]:
        """The spans of the original; one where the text itself has the ellipsis."""
        spans: list[Span] = []
        border = 0
        for place in places:
            start, end = self._folded.span(place.start, place.end)
            between = self._folded.text[border : place.start]
            if spans and (start < spans[-1][1] or not between.strip(" .()[]")):
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))
            border = place.end
        return tuple(spans)


def _read(folded: str, written: str) -> _Reading | None:
    """What a folded quote can mean; None when it says nothing."""
    whole = folded.strip()
    if whole[:1].isalpha() and whole[-1:].isalnum():
        return _Reading(whole, (whole,), whole, written)
    bare, before = whole, None
    while bare != before:
        before = bare
        bare = bare.removeprefix("...").removesuffix("...").strip()
        bullet = _BULLET.match(bare)
        bare = bare[bullet.end() :] if bullet else bare
    wrapped = len(bare) > 1 and bare[0] == bare[-1] == "'"
    core = bare
    if wrapped or bare.count("'") == 1:
        core = bare.removeprefix("'").removesuffix("'").strip()
    if not _SAYS_SOMETHING.search(core):
        return None
    forms = tuple(dict.fromkeys((whole, bare, core)))
    return _Reading(whole, forms, core if wrapped else bare, written)
