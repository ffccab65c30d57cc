"""What can be checked in a value without understanding it. PURE.

Dates, amounts, numbers, identifiers (citations, docket and register numbers) and names, each
with its place in the text and a canonical form, so that two texts can be compared and a page can
point at what agrees and what does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from annotation.text.dates import Found, bare_years, dates_agree, written_dates
from annotation.text.folding import fold
from annotation.text.quantities import amounts, numbers, percentages
from annotation.text.terms import HONORIFICS, STOP_WORDS, plain_word


class FeatureKind(StrEnum):
    """What a feature is, in the order in which the kinds claim the text."""

    DATE = "date"
    IDENTIFIER = "identifier"
    AMOUNT = "amount"
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature: ``text == whole[start:end]`` (code points), ``key`` its canonical form.

    Keys: dates in EDTF (``XXXX-07-21``), amounts ``USD 1200000``, numbers ``370`` or ``45 %``,
    identifiers in lower case without blanks and the dots of abbreviations, names as lower-case
    words without titles and initials.
    """

    kind: FeatureKind
    start: int
    end: int
    text: str
    key: str


_REPORTED = re.compile(
    # 145 F. 4th 39; 2025 WL 1803260; 42 U.S.C. § 1983: number, abbreviation, number.
    r"(?<![\w.,$-])\d{1,4}\s(?:[A-Z][\w.']{0,12}\s?|\d(?:st|nd|rd|d|th)\s){1,5}(?:§{1,2}\s?)?"
    r"\d[\w-]{0,12}(?:\.\d{1,5}){0,2}(?:\([\w]{1,4}\)){0,4}"
)
_OTHER_IDENTIFIERS = (
    re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE),
    re.compile(r"\b10\.\d{4,9}/[^\s<>\"]+"),  # DOI
    re.compile(r"§{1,2}\s?\d[\w.-]*(?:\([\w]{1,4}\)){0,4}"),
    re.compile(r"(?<![\w-])(?:\d{1,2}:)?\d{2}-[A-Za-z]{1,5}-\d{2,7}(?:-[A-Z]{1,4}){0,3}\b"),
    re.compile(r"(?<![\w-])\d{2}-\d{3,6}(?![\w-])"),
    re.compile(r"(?<![\w-])(?=[A-Z0-9]*\d\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,20}(?![\w-])"),
)
_ABBREVIATION = re.compile(r"[A-Z]\.|\b[A-Z]{2,}\b")
_CAPITALISED = r"[^\W\d_a-z][\w'&.]*"
_NAME = re.compile(rf"(?<!\w){_CAPITALISED}(?:[ -]{_CAPITALISED})*")
_PART = re.compile(r"[^\W_][\w'&.]*")
_NEVER_IN_A_NAME = HONORIFICS | STOP_WORDS | {"no", "nos", "yes", "not"}
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]['\")\]]*\s+|[\n\r])[\s'\"(\[*-]*$")


def value_features(text: str) -> tuple[Feature, ...]:
    """The features of ``text`` in their order there; none overlaps another.

    >>> [(f.kind.value, f.key) for f in value_features("Paid $1.2 million on July 21.")]
    [('amount', 'USD 1200000'), ('date', 'XXXX-07-21')]
    """
    folded = fold(text)
    free = folded.text
    found: list[Feature] = []
    for kind, finder in _FINDERS:
        for start, end, key in _without_overlap(finder(free)):
            place = folded.span(start, end)
            found.append(Feature(kind, *place, text[slice(*place)], key))
            # NUL is neither a word character nor a blank: what is claimed joins nothing.
            free = free[:start] + "\0" * (end - start) + free[end:]
    return tuple(sorted(found, key=lambda feature: feature.start))


def agree(one: Feature, other: Feature) -> bool:
    """Whether two features can stand for the same thing; symmetric.

    Dates agree when nothing both state differs, names when the words of one are among those of the
    other, a section with its own subsections and, without the name of its book, with the full
    citation; anything else when the keys are equal.
    """
    if one.kind is not other.kind:
        return False
    if one.kind is FeatureKind.DATE:
        return dates_agree(one.key, other.key)
    if one.kind is FeatureKind.NAME:
        words, others = set(one.key.split()), set(other.key.split())
        return words <= others or others <= words
    if one.kind is FeatureKind.IDENTIFIER:
        short, long = sorted((one.key, other.key), key=len)
        book, mark, section = short.partition("§")
        whole = long if book else mark + long.partition("§")[2]
        follows = whole.removeprefix(short)
        return short == whole or bool(mark and section and follows[0] in "(-." and follows != whole)
    return one.key == other.key


def _without_overlap(found: Iterable[Found]) -> Iterator[Found]:
    """The leftmost of those that overlap, and of those the longest."""
    border = 0
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if item.start >= border:
            border = item.end
            yield item


def _identifiers(text: str) -> Iterator[Found]:
    for match in _REPORTED.finditer(text):
        if _ABBREVIATION.search(match[0]):
            yield Found(match.start(), match.end(), _identifier_key(match[0]))
    for pattern in _OTHER_IDENTIFIERS:
        for match in pattern.finditer(text):
            end = match.end() - (len(match[0]) - len(match[0].rstrip(".,;)")))
            whole = match[0] if "(" in match[0] else text[match.start() : end]
            yield Found(match.start(), match.start() + len(whole), _identifier_key(whole))


def _identifier_key(text: str) -> str:
    key = re.sub(r"[\s,]|(?<!\d)\.|\.(?!\d)", "", text).lower().replace("§§", "§")
    # Leading zeros and the initials of whoever is assigned are written or left out at will.
    docket = re.fullmatch(r"((?:\d{1,2}:)?\d{2}-[a-z]{1,5}-)0*(\d+)(?:-[a-z]{1,4})*", key)
    return f"{docket[1]}{docket[2]}" if docket else key


def _quantities(text: str) -> Iterator[Found]:
    yield from percentages(text)
    yield from numbers(text)


def _names(text: str) -> Iterator[Found]:
    for match in _NAME.finditer(text):
        parts = [
            (match.start() + part.start(), part[0].rstrip(".'&"))
            for part in _PART.finditer(match[0])
        ]
        at_start = _SENTENCE_START.search(text[max(0, match.start() - 8) : match.start()])
        titled = plain_word(parts[0][1]) in HONORIFICS
        words = [(start, word) for start, word in parts if plain_word(word) not in _NEVER_IN_A_NAME]
        # A capital at the start of a sentence says nothing about a single word.
        single = len(words) == 1 and not titled and not words[0][1].isupper()
        if not words or (single and at_start and words[0][0] == parts[0][0]):
            continue
        key = " ".join(plain_word(word) for _, word in words if len(word) > 1)
        if key:
            yield Found(words[0][0], words[-1][0] + len(words[-1][1]), key)


_FINDERS = (
    (FeatureKind.DATE, written_dates),
    (FeatureKind.IDENTIFIER, _identifiers),
    (FeatureKind.DATE, bare_years),
    (FeatureKind.AMOUNT, amounts),
    (FeatureKind.NUMBER, _quantities),
    (FeatureKind.NAME, _names),
)
