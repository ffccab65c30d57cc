"""The passage of a text that is most like a quote, with its exact ends. PURE.

Comparing a quote with every part of a long text takes long, and the best part of equal length
begins and ends in the middle of words. So places come first, from the ends of the quote or from
its rarest tokens; then both ends, from the nearest run of characters that the quote and the text
share and, beyond that, token by token; and one comparison at last.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from operator import itemgetter
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, Levenshtein

LONGEST = 20_000
"""Longer quotes are not compared: the time would grow with their square."""
OTHER = 12
"""A number or a name of the quote that the passage lacks counts like so many more characters to
edit: it may well be another date, another court or another person."""

_SHORT_TEXT = 40_000  # up to this length, looking for the ends of a quote is the quicker way
_END = 16
_ANCHOR = 12
_ANCHORS_TRIED = 8
_RAREST = 8
_ENOUGH_TOKENS, _ENOUGH_PLACES, _MOST_PLACES = 4, 40, 1_000
_CANDIDATES = 6
_MOST_HEADS = 50
_ROUGH = 15.0
_LONGEST_EDGE = 40
_MORE_TOKENS = 3
# What it costs to turn a quote into a passage: a token of the passage that the quote lacks, a token
# that only the quote has, a token that has nothing in common with the one it stands for.
_LEFT_OUT, _PUT_IN, _CHANGED = 1.0, 1.6, 1.5

_TOKEN = re.compile(r"\S+")
_NUMBER = re.compile(r"\d+")
# Not after a stop: there every word begins with a capital.
_NAME = re.compile(r"(?<=[\w,;] )[A-Z][a-z]{2,}")
_PUNCTUATION = ".,;:!?'()[]{}*-"

Span = tuple[int, int]


class Passage(NamedTuple):
    """``text[start:end]``, and how like the quote it is, 0..100."""

    start: int
    end: int
    score: float


class _Meeting(NamedTuple):
    """Something that quote and text have in common: its offsets in both."""

    offset: int
    place: int


class NearIndex:
    """A text in the form of :func:`annotation.text.folding.search_form`, to look for likeness."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _tokens(self) -> dict[str, list[int]]:
        """Where each token (what stands between blanks) starts."""
        tokens: dict[str, list[int]] = defaultdict(list)
        for match in _TOKEN.finditer(self.text):
            tokens[match[0]].append(match.start())
        return dict(tokens)

    def best(
        self,
        quote: str,
        least: float,
        low: int = 0,
        high: int | None = None,
        *,
        written: str = "",
    ) -> Passage | None:
        """The passage between ``low`` and ``high`` that is most like ``quote``; None if none is.

        ``quote`` has the same form as the text. ``least``: the likeness it must have, 0..100: the
        share of characters that need no editing, a number or a name that the passage lacks
        counting for :data:`OTHER` of them. ``written``: the quote as it was written, in which
        names have capitals. Of equals the first that is met.
        """
        high = len(self.text) if high is None else high
        if len(quote) > LONGEST or low >= high:
            return None
        best: Passage | None = None
        spans: Iterable[Span] = ()
        if high - low <= _SHORT_TEXT:
            spans = self._between_ends(quote, low, high)
        for start, end in spans or self._around_rare_tokens(quote, least, low, high):
            passage = self.text[start:end]
            score = fuzz.ratio(quote, passage, score_cutoff=least)
            if score:
                missing = _numbers_missing(quote, passage) + _names_missing(quote, written, passage)
                score -= 100.0 * OTHER * missing / (len(quote) + len(passage))
            if score >= least and (best is None or score > best.score):
                best = Passage(start, end, score)
                least = score
        return best

    def _between_ends(self, quote: str, low: int, high: int) -> list[Span]:
        """Where the first and the last characters of the quote stand at about its length."""
        text, length = self.text, len(quote)
        head, tail = quote[:_END], quote[-_END:]
        reach = _ANCHOR + length // 5
        found: list[Span] = []
        start = text.find(head, low, high)
        for _ in range(_MOST_HEADS):
            if start < 0 or len(found) == _CANDIDATES:
                break
            last = _nearest(text, tail, start + length - len(tail), reach, start, high)
            if last >= 0:
                found.append((start, last + len(tail)))
            start = text.find(head, start + 1, high)
        return found

    def _around_rare_tokens(self, quote: str, least: float, low: int, high: int) -> Iterator[Span]:
        """Where the rarest tokens of the quote stand about as far apart, the most tokens first."""
        used = self._rarest(quote)
        reach = _ANCHOR + len(quote) // 8
        for shift in _crowds(used, reach):
            left = _meeting(used, shift, reach)
            right = _meeting(reversed(used), shift, reach)
            if not left or not right or left.place < low or right.place >= high:
                continue
            start = max(low, left.place - left.offset)
            end = min(high, right.place - right.offset + len(quote))
            if fuzz.ratio(quote, self.text[start:end], score_cutoff=least - _ROUGH):
                start = self._start(quote, left, reach + _ANCHOR, low)
                end = self._end(quote, right, reach + _ANCHOR, high)
                if start < end:
                    yield start, end

    def _rarest(self, quote: str) -> list[tuple[int, list[int]]]:
        """The tokens of the quote that are rarest in the text: offset in the quote, places."""
        known = self._tokens
        padded = f" {quote} "
        rare = sorted(
            (len(places), token)
            for token in set(quote.split())
            if (places := known.get(token)) is not None
        )
        number = 0
        used: list[tuple[int, list[int]]] = []
        for n_places, token in rare[:_RAREST]:
            number += n_places
            if number > (_ENOUGH_PLACES if len(used) > _ENOUGH_TOKENS else _MOST_PLACES) and used:
                break
            used.append((padded.find(f" {token} "), known[token][:_MOST_PLACES]))
        used.sort(key=itemgetter(0))
        return used

    def _start(self, quote: str, meeting: _Meeting, reach: int, low: int) -> int:
        """Where the quote starts in the text, from a token that both have."""
        text = self.text
        offset, place = meeting
        at = 0
        for _ in range(_ANCHORS_TRIED):
            expected = meeting.place - meeting.offset + at
            found = _nearest(text, quote[at : at + _ANCHOR], expected, reach, low, len(text))
            if found >= 0:
                offset, place = at, found
                break
            at = quote.find(" ", at) + 1
            if at == 0:
                break
        if offset == 0:
            return place
        if offset > _LONGEST_EDGE:
            return max(low, place - offset)
        before = text[max(low, place - 2 * offset - _LONGEST_EDGE) : place]
        tokens = [match.span() for match in _TOKEN.finditer(before)][::-1]
        if tokens and tokens[0][1] == len(before) and not _has_word(before[slice(*tokens[0])]):
            del tokens[0]
        quoted = quote[:offset].split()[::-1]
        taken = _tokens_taken(quoted, [before[a:b] for a, b in tokens])
        if not taken:
            return place
        start, end = tokens[taken - 1]
        outer = _other_punctuation(quoted[-1], before[start:end])
        return place - len(before) + start + outer

    def _end(self, quote: str, meeting: _Meeting, reach: int, high: int) -> int:
        """Where the quote ends in the text, from a token that both have."""
        text = self.text
        offset, place = meeting
        to = len(quote)
        for _ in range(_ANCHORS_TRIED):
            first = max(0, to - _ANCHOR)
            expected = meeting.place - meeting.offset + first
            found = _nearest(text, quote[first:to], expected, reach, 0, high)
            if found >= 0:
                offset, place = to, found + to - first
                break
            to = quote.rfind(" ", 0, to)
            if to <= 0:
                break
        left = len(quote) - offset
        if left == 0:
            return place
        if left > _LONGEST_EDGE:
            return min(high, place + left)
        after = text[place : min(high, place + 2 * left + _LONGEST_EDGE)]
        tokens = [match.span() for match in _TOKEN.finditer(after)]
        if tokens and tokens[0][0] == 0 and not _has_word(after[: tokens[0][1]]):
            del tokens[0]
        quoted = quote[offset:].split()
        taken = _tokens_taken(quoted, [after[a:b] for a, b in tokens])
        if not taken:
            return place
        start, end = tokens[taken - 1]
        return place + end - _other_punctuation(quoted[-1][::-1], after[start:end][::-1])


def _crowds(used: Sequence[tuple[int, list[int]]], reach: int) -> list[int]:
    """Distances from a quote to the text at which many of its tokens meet it, the most first.

    ``used``: offset in the quote, places in the text. Distances up to ``reach`` farther count.
    """
    shifts = sorted(place - offset for offset, places in used for place in places)
    enough = 1 + len(used) // 4
    crowds = []
    last = 0
    for first, shift in enumerate(shifts):
        while last < len(shifts) and shifts[last] <= shift + reach:
            last += 1
        if last - first >= enough:
            crowds.append((last - first, shift))
    crowds.sort(key=itemgetter(0), reverse=True)
    found: list[int] = []
    for _, shift in crowds:
        if len(found) == _CANDIDATES:
            break
        if all(abs(shift - other) > reach for other in found):
            found.append(shift)
    return found


def _meeting(used: Iterable[tuple[int, list[int]]], shift: int, reach: int) -> _Meeting | None:
    """The first of some tokens that the text has as far on as the quote, give or take ``reach``."""
    for offset, places in used:
        at = bisect_left(places, shift + offset)
        if at < len(places) and places[at] <= shift + offset + reach:
            return _Meeting(offset, places[at])
    return None


def _nearest(text: str, anchor: str, expected: int, reach: int, low: int, high: int) -> int:
    """Where ``anchor`` starts, nearest to the place expected; -1 when out of reach."""
    low, high = max(low, expected - reach), min(high, expected + reach + len(anchor))
    after = text.find(anchor, max(low, expected), high)
    before = text.rfind(anchor, low, min(high, expected + len(anchor)))
    if before < 0 or (after >= 0 and after - expected <= expected - before):
        return after
    return before


def _tokens_taken(quoted: Sequence[str], there: Sequence[str]) -> int:
    """How many tokens of the text stand for those of the quote, counted from a common border.

    The cheapest way to turn one into the other: the tokens of the quote must be used up, those of
    the text need not.
    """
    there = there[: len(quoted) + _MORE_TOKENS]
    costs = [_LEFT_OUT * i for i in range(len(there) + 1)]
    for token in quoted:
        last, costs = costs, [costs[0] + _PUT_IN]
        for i, other in enumerate(there):
            changed = _CHANGED * Levenshtein.normalized_distance(token, other)
            costs.append(min(last[i] + changed, costs[i] + _LEFT_OUT, last[i + 1] + _PUT_IN))
    return min(range(len(costs)), key=lambda i: (costs[i], abs(i - len(quoted))))


def _other_punctuation(quoted: str, there: str) -> int:
    """How many marks open the token of the text beyond those that open the token of the quote."""
    marks = [len(list(takewhile(_PUNCTUATION.__contains__, token))) for token in (quoted, there)]
    if marks[1] == len(there):
        return 0
    same = takewhile(lambda pair: pair[0] == pair[1], zip(quoted, there, strict=False))
    return marks[1] - min(len(list(same)), *marks)


def _has_word(token: str) -> bool:
    return any(char.isalnum() for char in token)


def _numbers_missing(quote: str, passage: str) -> int:
    """Numbers of the quote that the passage does not have."""
    numbers = set(_NUMBER.findall(quote))
    return len(numbers.difference(_NUMBER.findall(passage))) if numbers else 0


def _names_missing(quote: str, written: str, passage: str) -> int:
    """Names in the quote that are not in the passage, not even mistyped."""
    names = {name.lower() for name in _NAME.findall(written)}
    lacking = [name for name in names if name in quote and name not in passage]
    words = [word.strip(_PUNCTUATION) for word in passage.split()] if lacking else []
    return sum(
        not any(OSA.distance(name, word) <= 1 + len(name) // 10 for word in words)
        for name in lacking
    )
