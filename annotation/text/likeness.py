"""How alike two values look, to put likely counterparts first. PURE, local, deterministic.

A help for the eye, never a judgement: what two values mean is for people and judges to say.
"""

from __future__ import annotations

from collections.abc import Sequence

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


def _shared_weight(own: Sequence[Feature], other: Sequence[Feature]) -> float:
    return sum(_WEIGHT[feature.kind] for feature in own if any(agree(feature, o) for o in other))
