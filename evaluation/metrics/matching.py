"""The score of one checklist item, from the comparison of its values. PURE.

Every score comes with its numerators, so that the score of a case can pool them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from annotation.kinds.comparison import ListAnswer, Pair, Relation, SingleAnswer


class Credit(StrEnum):
    """How values that match several others count.

    ``two_sided``: every value that has a match counts, on its own side. ``one_to_one``: the size of
    a maximum bipartite matching counts, on both sides.
    """

    TWO_SIDED = "two_sided"
    ONE_TO_ONE = "one_to_one"


# A single value that says all of the other and more, or lacks something, earns half.
SINGLE_CREDIT = {
    Relation.EQUAL: 1.0,
    Relation.MODEL_CONTAINS: 0.5,
    Relation.REFERENCE_CONTAINS: 0.5,
    Relation.DIFFERENT: 0.0,
}

Undefined = Literal["not_applicable", "not_scored"]


@dataclass(frozen=True)
class ItemScore:
    """``value`` is m_i (0..1), None with the reason when it is undefined.

    ``matched_model`` of ``n_model`` values of the model count as found in the reference (the
    numerator of precision), ``matched_reference`` of ``n_reference`` the other way (recall).
    """

    value: float | None
    matched_model: float
    n_model: int
    matched_reference: float
    n_reference: int
    undefined_reason: Undefined | None = None

    @property
    def precision(self) -> float | None:
        """Share of the model's values that are matched, None without any."""
        return self.matched_model / self.n_model if self.n_model else None

    @property
    def recall(self) -> float | None:
        """Share of the reference's values that are matched, None without any."""
        return self.matched_reference / self.n_reference if self.n_reference else None


def item_score(
    answer: SingleAnswer | ListAnswer | None,
    n_model: int,
    n_reference: int,
    credit: Credit = Credit.TWO_SIDED,
) -> ItemScore:
    """Score one item from its (cleaned) comparison.

    ``n_model`` and ``n_reference`` are the numbers of values. Both 0: ``not_applicable``.
    One of them 0: the score is 0, and no answer is needed. Otherwise an ``answer`` of None is a
    comparison that failed: undefined, ``not_scored``, never 0.

    Raises ``ValueError`` for negative numbers, for a single answer about lists, and for pairs
    outside the lists. Source: arXiv 2601.04424, section 3.1.

    >>> pairs = ListAnswer(pairs=[(0, 0), (0, 1)], only_model=[], only_reference=[2])
    >>> item_score(pairs, 1, 3).value, item_score(pairs, 1, 3, Credit.ONE_TO_ONE).value
    (0.8, 0.5)
    """
    if n_model < 0 or n_reference < 0:
        raise ValueError("numbers of values cannot be negative")
    if not n_model and not n_reference:
        return ItemScore(None, 0.0, 0, 0.0, 0, "not_applicable")
    if not n_model or not n_reference:
        return ItemScore(0.0, 0.0, n_model, 0.0, n_reference)
    if answer is None:
        return ItemScore(None, 0.0, n_model, 0.0, n_reference, "not_scored")
    if isinstance(answer, SingleAnswer):
        if (n_model, n_reference) != (1, 1):
            raise ValueError("a single relation can only score one value against one")
        earned = SINGLE_CREDIT[answer.relation]
        return ItemScore(earned, earned, 1, earned, 1)
    matched_model, matched_reference = matched_counts(answer.pairs, n_model, n_reference, credit)
    # F1 of P = matched_model / n_model and R = matched_reference / n_reference, in one fraction.
    weight = matched_model * n_reference + matched_reference * n_model
    value = 2 * matched_model * matched_reference / weight if weight else 0.0
    return ItemScore(value, matched_model, n_model, matched_reference, n_reference)


def matched_counts(
    pairs: Sequence[Pair], n_model: int, n_reference: int, credit: Credit
) -> tuple[int, int]:
    """How many values of the model and of the reference count as matched.

    ``pairs`` are 0-based (model, reference) indices, in any order and number. Raises ``ValueError``
    for a pair outside the lists.
    """
    if any(not (0 <= m < n_model and 0 <= r < n_reference) for m, r in pairs):
        raise ValueError(f"a pair lies outside lists of {n_model} and {n_reference} values")
    if not pairs:
        return 0, 0
    if credit is Credit.TWO_SIDED:
        return len({m for m, _ in pairs}), len({r for _, r in pairs})
    rows, columns = zip(*set(pairs), strict=True)
    graph = csr_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (n_model, n_reference))
    size = int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
    return size, size
