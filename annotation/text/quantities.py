"""Amounts of money, shares and numbers, in figures and in words. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from annotation.text.dates import Found

_SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "k": 10**3,
    "million": 10**6,
    "m": 10**6,
    "mn": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "trillion": 10**12,
}
_CURRENCIES = {
    **dict.fromkeys(("$", "us$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("£", "gbp"), "GBP"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("¥", "jpy", "yen"), "JPY"),
}
_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS = {word: value for value, word in enumerate(_UNIT_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), start=2)}
# "one" alone is as often a pronoun as a number, "zero" an adjective.
_NEVER_ALONE = {"one", "zero"}

# More digits than any count or amount has: identifiers, and a guard against huge integers.
_FIGURE = r"(?P<figure>\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,6})?|\d{1,15}(?:\.\d{1,6})?)"
_BIG = r"(?:\s?-?(?P<scale>thousand|million|billion|trillion|mn|bn|[kmb]))?"
_AMOUNT = re.compile(
    rf"(?P<currency>US\$|[$£€¥]|\b(?:USD|EUR|GBP|JPY))\s?{_FIGURE}{_BIG}(?![\w])", re.IGNORECASE
)
_AMOUNT_AFTER = re.compile(
    rf"(?<![\w.,$£€¥-]){_FIGURE}{_BIG}\s(?P<currency>dollars?|euros?|yen|USD|EUR|GBP|JPY)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"(?<![\w.,]){_FIGURE}\s?(?:%|per\s?cent\b|percent)", re.IGNORECASE)
_NUMBER = re.compile(
    rf"(?<![\w.,$/§])(?<![A-Za-z]-){_FIGURE}(?:\s(?P<scale>hundred|thousand|million|billion"
    rf"|trillion)\b)?(?!\w)(?![.,/:]\d)",
    re.IGNORECASE,
)
_WORD = "|".join([*_UNITS, *_TENS])
_WORDS = re.compile(
    rf"\b(?:{_WORD})(?:(?:-|\s+and\s+|\s+)(?:{_WORD}|hundred|thousand|million|billion))*\b",
    re.IGNORECASE,
)


def amounts(text: str) -> Iterator[Found]:
    """Sums of money in folded ``text``, as ``USD 1200000``. A bare ``$`` counts as US dollars."""
    for pattern in (_AMOUNT, _AMOUNT_AFTER):
        for match in pattern.finditer(text):
            currency = _CURRENCIES[match["currency"].lower()]
            yield Found(match.start(), match.end(), f"{currency} {_value(match)}")


def percentages(text: str) -> Iterator[Found]:
    """Shares in folded ``text``, as ``45 %``."""
    for match in _PERCENT.finditer(text):
        yield Found(match.start(), match.end(), f"{_plain(_figure(match))} %")


def numbers(text: str) -> Iterator[Found]:
    """Other numbers in folded ``text``, in figures or words, as ``1200``."""
    for match in _NUMBER.finditer(text):
        yield Found(match.start(), match.end(), _value(match))
    for match in _WORDS.finditer(text):
        words = re.split(r"[-\s]+", match[0].lower())
        if match[0].lower() not in _NEVER_ALONE:
            yield Found(match.start(), match.end(), str(_in_words(words)))


def _figure(match: re.Match[str]) -> Decimal:
    return Decimal(match["figure"].replace(",", ""))


def _value(match: re.Match[str]) -> str:
    scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
    return _plain(_figure(match) * scale)


def _plain(value: Decimal) -> str:
    """Without exponent or closing zeros, so that equal values are equal strings."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _in_words(words: list[str]) -> int:
    total = current = 0
    for word in words:
        if word in _UNITS or word in _TENS:
            current += _UNITS.get(word, _TENS.get(word, 0))
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return total + current
