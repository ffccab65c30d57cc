"""The ``rules`` judge: a lexical baseline that is no language model. PURE.

It compares values by their dates, sums, citations, numbers and words, and cannot know that two
wordings mean the same. It is a floor that a model judge should beat, and needs no key.
Deterministic, and symmetric in the two sides.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from annotation.kinds.comparison import (
    Content,
    ListAnswer,
    Pair,
    ShownRelation,
    Side,
    SingleAnswer,
    orient,
    settle,
)
from evaluation.judging.lexical import Overlap, Profile, overlap, profile, word_rarity

VERSION = "1"

# Chosen on public comparisons of values from documents (20 cases, judged by a language model; no
# human gold exists): 0.2 to 0.3 gave the same F1 of pairs within 0.02, more below, less above.
MATCH_THRESHOLD = 0.25
# The share of a value's weight that must be found in the other. Between 0.7 and 0.85 for equal
# nothing changes there; lower shares of containment agree with more of these answers, but 0.6 is
# where most of a value is still found.
EQUAL_COVERAGE = 0.7
CONTAINED_COVERAGE = 0.6
# Two values that cover each other about as well each have something of their own.
CONTAINED_LEAD = 0.15
# Far below any difference of scores that means something: it only settles ties, in favour of
# pairs at the same place in both lists.
_TIE = 1e-9

# At most three words, none of them with a digit: a date that opens a value is no label.
_LABEL = re.compile(r"\s*([^\W\d]+(?: [^\W\d]+){0,2}):\s+(\S.*)", re.DOTALL)

Explanation = dict[str, Any]


@dataclass(frozen=True)
class SingleComparison:
    """The relation of two texts A and B, and why (JSON-ready)."""

    relation: ShownRelation
    explanation: Explanation


@dataclass(frozen=True)
class ListMatching:
    """Matched (model, reference) pairs, 0-based and sorted, and why (JSON-ready)."""

    pairs: list[Pair]
    explanation: Explanation


def compare_single(a_text: str, b_text: str) -> SingleComparison:
    """How A relates to B.

    Equal when each side holds nearly all of the other's weight, containing when one side alone
    does, different otherwise or when dates, sums, citations or numbers contradict each other.
    """
    a, b = (profile(text) for text in _without_labels(a_text, b_text))
    found = overlap(a, b)
    return SingleComparison(_relation(a, b, found), _explain(found))


def match_lists(model: Sequence[str], reference: Sequence[str]) -> ListMatching:
    """The one-to-one matching of highest total score among pairs above ``MATCH_THRESHOLD``."""
    swap = tuple(model) > tuple(reference)
    first, second = (reference, model) if swap else (model, reference)
    table = _table(first, second)
    pairs = _best_pairs(table)
    explained = [
        {
            "model": other if swap else one,
            "reference": one if swap else other,
            **_explain(table[one][other], swap=swap),
        }
        for one, other in pairs
    ]
    explained.sort(key=lambda row: (row["model"], row["reference"]))
    return ListMatching(
        pairs=[(row["model"], row["reference"]) for row in explained],
        explanation={"threshold": MATCH_THRESHOLD, "pairs": explained},
    )


def compare(content: Content) -> tuple[SingleAnswer | ListAnswer, Explanation]:
    """The complete answer of this judge to a comparison task, with its explanation."""
    if content.form == "single":
        single = compare_single(content.model[0], content.reference[0])
        return SingleAnswer(relation=orient(single.relation, Side.MODEL)), single.explanation
    matching = match_lists(content.model, content.reference)
    return settle(matching.pairs, content), matching.explanation


def _relation(a: Profile, b: Profile, found: Overlap) -> ShownRelation:
    if a.plain == b.plain:
        return ShownRelation.EQUAL
    if found.conflicts:
        return ShownRelation.DIFFERENT
    if min(found.covered_a, found.covered_b) >= EQUAL_COVERAGE:
        return ShownRelation.EQUAL
    lead = found.covered_a - found.covered_b
    if max(found.covered_a, found.covered_b) < CONTAINED_COVERAGE or abs(lead) < CONTAINED_LEAD:
        return ShownRelation.DIFFERENT
    return ShownRelation.B_CONTAINS_A if lead > 0 else ShownRelation.A_CONTAINS_B


def _without_labels(a_text: str, b_text: str) -> tuple[str, str]:
    """Both texts without a ``Label:`` that sets nothing apart: both begin with it, or only one
    has any. Two different labels stay."""
    a_label, a_rest = _label(a_text)
    b_label, b_rest = _label(b_text)
    if a_label and b_label and a_label != b_label:
        return a_text, b_text
    return a_rest, b_rest


def _label(text: str) -> tuple[str, str]:
    """The label that opens ``text`` (folded, empty if none) and what follows it."""
    match = _LABEL.match(text)
    return (match[1].casefold(), match[2]) if match else ("", text)


def _table(first: Sequence[str], second: Sequence[str]) -> list[list[Overlap]]:
    """How every text of ``first`` compares with every text of ``second``.

    Labels that both lists use sort the values of each: such a label is no part of a value, and
    values under two of them do not match.
    """
    labelled, others_labelled = [_label(t) for t in first], [_label(t) for t in second]
    kinds = {label for label, _ in labelled} & {label for label, _ in others_labelled} - {""}
    ones = [_of_kind(text, kinds) for text in first]
    others = [_of_kind(text, kinds) for text in second]
    rarity = word_rarity([one for _, one in ones] + [other for _, other in others])
    return [
        [
            _scored(one, other, rarity, apart={kind, other_kind} <= kinds and kind != other_kind)
            for other_kind, other in others
        ]
        for kind, one in ones
    ]


def _of_kind(text: str, kinds: Container[str]) -> tuple[str, Profile]:
    label, rest = _label(text)
    return (label, profile(rest)) if label in kinds else ("", profile(text))


def _scored(one: Profile, other: Profile, rarity: dict[str, float], *, apart: bool) -> Overlap:
    found = overlap(one, other, rarity)
    if apart:
        return replace(found, score=0.0)
    if one.plain == other.plain:
        return replace(found, covered_a=1.0, covered_b=1.0, score=1.0)
    return found


def _best_pairs(table: list[list[Overlap]]) -> list[Pair]:
    scores = np.array([[cell.score for cell in row] for row in table], dtype=float)
    # What is no match anyway must not decide between matches.
    gains = np.where(scores >= MATCH_THRESHOLD, scores, 0.0)
    rows, columns = np.indices(gains.shape)
    chosen = linear_sum_assignment(gains - _TIE * abs(rows - columns), maximize=True)
    return [(int(i), int(j)) for i, j in zip(*chosen, strict=True) if gains[i, j] > 0]


def _explain(found: Overlap, *, swap: bool = False) -> Explanation:
    covered = (found.covered_b, found.covered_a) if swap else (found.covered_a, found.covered_b)
    return {
        "score": round(found.score, 4),
        "covered": [round(share, 4) for share in covered],
        "shared": dict(found.shared),
        "conflicting": dict(found.conflicts),
    }
