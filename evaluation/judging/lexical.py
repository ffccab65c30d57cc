"""How much of one text is found in another, by words and checkable features. PURE.

Symmetric by construction: swapping the two texts swaps the two coverages and changes nothing else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.text.dates import date_parts
from annotation.text.features import Feature, FeatureKind, agree, value_features
from annotation.text.folding import fold
from annotation.text.terms import Term, content_terms

# What a feature weighs against an ordinary content word (1). A date, a sum or a citation singles
# a statement out, a number is often a detail ("four ferries"), a capitalised word is in between.
# On the comparisons that MATCH_THRESHOLD was chosen on, weights from 1.5 to 4 and factors from 0.3
# to 1 moved the F1 of pairs by 0.01 at most: these are plain numbers, not fitted ones.
FEATURE_WEIGHTS: Mapping[FeatureKind, float] = {
    FeatureKind.DATE: 2.0,
    FeatureKind.AMOUNT: 2.0,
    FeatureKind.IDENTIFIER: 2.0,
    FeatureKind.NUMBER: 1.0,
}
CAPITALISED_WEIGHT = 1.5

# What is left of the score when both texts state features of a kind and none agrees. Texts that
# name other dates, sums or citations seldom say the same; numbers often count different things.
CONFLICT_FACTORS: Mapping[FeatureKind, float] = {
    FeatureKind.DATE: 0.6,
    FeatureKind.AMOUNT: 0.6,
    FeatureKind.IDENTIFIER: 0.6,
    FeatureKind.NUMBER: 0.9,
}
OPPOSITE_FACTOR = 0.6

# Stems of everyday opposites; a text with both words of a pair takes no side.
_OPPOSITES = (
    ("yes", "no"),
    ("grant", "deny"),
    ("grant", "deni"),
    ("increas", "decreas"),
    ("increas", "reduc"),
    ("higher", "lower"),
    ("affirm", "revers"),
    ("accept", "reject"),
    ("improv", "worsen"),
)


_INITIAL = re.compile(r"(?<!\w)([A-Z])\.\s+(?=[A-Z])")


@dataclass(frozen=True)
class Profile:
    """What is compared of one text.

    ``plain`` is equal for texts that differ in looks alone. ``words`` maps each word form outside
    of the features to its weight; ``initials`` are the letters of ``J. Smith``, which stand for any
    name that begins with them; ``features`` leaves names out, whose words are among ``words``;
    ``names`` serve the explanation.
    """

    plain: str
    words: Mapping[str, float]
    initials: frozenset[str]
    features: tuple[Feature, ...]
    names: tuple[Feature, ...]


def profile(text: str) -> Profile:
    """Read ``text`` once for any number of comparisons."""
    found = value_features(text)
    features = tuple(f for f in found if f.kind in FEATURE_WEIGHTS)
    places = {match.start(): match[1].lower() for match in _INITIAL.finditer(text)}
    words: dict[str, float] = {}
    terms = [t for t in content_terms(text) if not _inside(t, features)]
    for position, term in enumerate(terms):
        if term.start in places:
            continue
        # The first word of a text is capitalised whatever it is.
        weight = CAPITALISED_WEIGHT if term.capitalised and position else 1.0
        words[term.form] = max(weight, words.get(term.form, 0.0))
    return Profile(
        plain=_plain(text, terms, features),
        words=words,
        initials=frozenset(places.values()),
        features=features,
        names=tuple(f for f in found if f.kind is FeatureKind.NAME),
    )


@dataclass(frozen=True)
class Overlap:
    """What two texts share.

    ``covered_a`` is the share (0..1) of A's weight that B has too, ``covered_b`` the reverse;
    ``score`` (0..1) is their mean, lowered for each kind in ``conflicts``.
    """

    covered_a: float
    covered_b: float
    score: float
    shared: Mapping[str, list[str]]
    conflicts: Mapping[str, list[str]]


def overlap(a: Profile, b: Profile, rarity: Mapping[str, float] | None = None) -> Overlap:
    """Compare two profiles.

    ``rarity`` weighs words (0..1) by how few texts have them; a word that is not in it weighs 1.
    Two texts without any content word or feature share nothing.
    """
    rarity = rarity or {}
    covered_a, covered_b = _covered(a, b, rarity), _covered(b, a, rarity)
    conflicts, factor = _conflicts(a, b)
    score = factor * (covered_a + covered_b) / 2
    return Overlap(covered_a, covered_b, score, _shared(a, b), conflicts)


def word_rarity(profiles: Sequence[Profile]) -> dict[str, float]:
    """Inverse document frequency of each word over ``profiles``, scaled so that a word that
    only one text has weighs 1."""
    counts = Counter(word for each in profiles for word in each.words)
    total = len(profiles)
    return {w: math.log1p(total / n) / math.log1p(total) for w, n in counts.items()}


def _plain(text: str, terms: Sequence[Term], features: Sequence[Feature]) -> str:
    places = [(t.start, t.form) for t in terms] + [(f.start, f.key) for f in features]
    return " ".join(form for _, form in sorted(places)) or fold(text).text.strip().casefold()


def _inside(term: Term, features: Sequence[Feature]) -> bool:
    return any(f.start <= term.start and term.end <= f.end for f in features)


def _covered(one: Profile, other: Profile, rarity: Mapping[str, float]) -> float:
    weights: list[float] = []
    matched: list[float] = []
    for word, weight in sorted(one.words.items()):
        weight *= rarity.get(word, 1.0)
        weights.append(weight)
        if word in other.words or (word[0] in other.initials and one.words[word] > 1):
            matched.append(weight)
    for feature in one.features:
        weight = FEATURE_WEIGHTS[feature.kind]
        weights.append(weight)
        shares = (_stated_share(feature, f) for f in other.features if agree(feature, f))
        matched.append(weight * max(shares, default=0.0))
    whole = math.fsum(weights)
    return math.fsum(matched) / whole if whole else 0.0


def _stated_share(one: Feature, other: Feature) -> float:
    """How much of ``one`` the agreeing ``other`` states: of "May 3" half is in "May 2021"."""
    if one.kind is FeatureKind.DATE:
        parts = zip(one.key.split("-"), other.key.split("-"), strict=True)
        both = sum("X" not in a and "X" not in b for a, b in parts)
        return both / date_parts(one.key)
    if one.kind is FeatureKind.IDENTIFIER:
        return min(1.0, len(other.key) / len(one.key))
    return 1.0


def _conflicts(a: Profile, b: Profile) -> tuple[dict[str, list[str]], float]:
    conflicts: dict[str, list[str]] = {}
    factor = 1.0
    for kind, kind_factor in CONFLICT_FACTORS.items():
        ones = [f for f in a.features if f.kind is kind]
        others = [f for f in b.features if f.kind is kind]
        if ones and others and not any(agree(f, g) for f in ones for g in others):
            conflicts[kind.value] = sorted({f.text for f in (*ones, *others)})
            factor *= kind_factor
    opposed = [
        f"{one} / {other}"
        for one, other in _OPPOSITES
        if _sides(a, one, other) * _sides(b, one, other) < 0
    ]
    if opposed:
        conflicts["opposite"] = opposed
        factor *= OPPOSITE_FACTOR
    return conflicts, factor


def _sides(text: Profile, one: str, other: str) -> int:
    return (one in text.words) - (other in text.words)


def _shared(a: Profile, b: Profile) -> dict[str, list[str]]:
    shared: dict[str, set[str]] = {}
    for ones, others in ((a.features, b.features), (a.names, b.names)):
        for f in ones:
            for g in others:
                if agree(f, g):
                    shared.setdefault(f.kind.value, set()).update((f.text, g.text))
    if common := set(a.words) & set(b.words):
        shared["word"] = common
    return {kind: sorted(texts) for kind, texts in sorted(shared.items())}
