"""How alike two values look, to put likely counterparts first. PURE, local, deterministic.

A help for the eye, never a judgement: what two values mean is for people and judges to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from annotation.text.features import Feature, FeatureKind, agree, value_features
from annotation.text.folding import fold

_WEIGHT = {
    FeatureKind.DATE: 1.0,
    FeatureKind.AMOUNT: 1.0,
    FeatureKind.IDENTIFIER: 1.0,
    FeatureKind.NUMBER: 0.5,
    FeatureKind.NAME: 0.5,
}


def likeness_orders(lefts: Sequence[str], rights: Sequence[str]) -> list[list[int]]:
    """For each left text, the positions of ``rights``, the likeliest counterpart first.

    Shared dates, amounts and identifiers weigh most, then numbers and names, then the share of
    common words. Texts that score the same keep their order.
    """
    folded = [fold(text).text.casefold() for text in rights]
    features = [value_features(text) for text in rights]
    orders = []
    for left in lefts:
        own_text, own = fold(left).text.casefold(), value_features(left)
        scores = [
            _shared_weight(own, other) + fuzz.token_set_ratio(own_text, text) / 100
            for text, other in zip(folded, features, strict=True)
        ]
        # sorted() is stable: reverse order of the scores, ties as they came.
        orders.append(sorted(range(len(rights)), key=scores.__getitem__, reverse=True))
    return orders


_SAYS = {
    FeatureKind.DATE: "same date",
    FeatureKind.AMOUNT: "same amount",
    FeatureKind.IDENTIFIER: "same number of a case or citation",
    FeatureKind.NAME: "same name",
}
SIMILAR_WORDS = 80
"""Percent of common words from which two values are worth a look (0 to 100)."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A likely counterpart: positions in both lists, and what the two share."""

    left: int
    right: int
    because: str


def suggestions(lefts: Sequence[str], rights: Sequence[str]) -> list[Suggestion]:
    """At most one likely counterpart for each left text, in the order of the left texts.

    The two share a date, an amount, an identifier or a name (in this order of weight), else most
    of their words. Where two right texts are equally likely nothing is suggested: a guess between
    them would only lead astray.
    """
    folded = [fold(text).text.casefold() for text in rights]
    features = [value_features(text) for text in rights]
    found = []
    for left, text in enumerate(lefts):
        own_text, own = fold(text).text.casefold(), value_features(text)
        ranked = sorted(
            (
                (*_reason(own, features[i], fuzz.token_set_ratio(own_text, folded[i])), i)
                for i in range(len(rights))
            ),
            key=lambda entry: entry[0],
            reverse=True,
        )
        if ranked and ranked[0][1] and (len(ranked) == 1 or ranked[0][0] > ranked[1][0]):
            found.append(Suggestion(left, ranked[0][2], ranked[0][1]))
    return found


def _reason(
    own: Sequence[Feature], other: Sequence[Feature], words: float
) -> tuple[tuple[int, float], str]:
    """How likely, as a key to sort by, and why; no reason when nothing speaks for it."""
    shared = {f.kind for f in own if any(agree(f, o) for o in other)}
    for rank, (kind, says) in enumerate(_SAYS.items()):
        if kind in shared:
            return (len(_SAYS) - rank, words), says
    if words >= SIMILAR_WORDS:
        return (0, words), "similar words"
    return (-1, 0.0), ""


def _shared_weight(own: Sequence[Feature], other: Sequence[Feature]) -> float:
    return sum(_WEIGHT[feature.kind] for feature in own if any(agree(feature, o) for o in other))
