"""Agreement about which values of two lists match: F1 of sets of index pairs. PURE.

Pairs that nobody matched cannot be counted in a meaningful number, so chance correction makes no
sense here and F1 is the measure (Hripcsak and Rothschild 2005, JAMIA 12:296-298).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import combinations

import numpy as np

from evaluation.agreement.intervals import DEFAULT, UNIT_RANGE, Resampling
from evaluation.agreement.pairs import Pair, PairRepair, RawPairs, clean_pairs, pair_flags
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.resampling import Statistic
from evaluation.agreement.result import NO_REASON, Agreement, Reason
from evaluation.agreement.tables import mean_of_defined, ratio

Answer = RawPairs | None
Sizes = Sequence[tuple[int, int]]


class Average(StrEnum):
    """How items make one figure.

    ``micro``: pairs of all items pooled. ``macro``: mean of the items' F1, where an item without
    pairs on both sides counts 1. ``macro_nonempty``: the same without such items.
    """

    MICRO = "micro"
    MACRO = "macro"
    MACRO_NONEMPTY = "macro_nonempty"


def matching_f1(
    human: Sequence[Answer],
    judge: Sequence[Answer],
    *,
    average: Average = Average.MICRO,
    first_index: int = 1,
    sizes: Sizes | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """F1 of the judge's index pairs against the agreed human ones, 0..1.

    ``human``: per item its pairs ``[a, b]``, None where there is no agreed answer (excluded and
    counted). ``judge``: the same, None for an answer that is missing or cannot be used: none of
    the item's pairs is found, and its own F1 is 0. Pairs are cleaned by
    :func:`~evaluation.agreement.pairs.clean_pairs`, with ``first_index`` and ``sizes`` (values
    of both sides, per item). ``clusters``: the case of each item; asks for an interval.
    ``extra``: ``precision``, ``recall`` (pooled), ``micro``, ``macro``, ``macro_nonempty``,
    ``n_both_empty`` items, ``valid_only`` value, ``repairs``.

    ValueError: unequal lengths, a pair that has not two sides. Undefined: no item with a human
    answer (``no_units``), no pair on either side (``no_matches``; micro and macro_nonempty).

    >>> round(matching_f1([[[1, 1], [2, 2]]], [[[1, 1], [2, 1]]]).value, 6)
    0.5
    """
    average = Average(average)
    _check_lengths(human, judge, sizes)
    found: Counter[PairRepair] = Counter()
    human_pairs = _clean(human, first_index, sizes, found)
    judge_pairs = _clean(judge, first_index, sizes, found)
    rows = _block(human_pairs, judge_pairs, _item_row)
    labelled = np.array([pairs is not None for pairs in human_pairs], dtype=np.bool_)
    valid = labelled & np.array([pairs is not None for pairs in judge_pairs], dtype=np.bool_)
    statistic = _AVERAGES[average]
    pooled = Pooled(rows=rows, statistic=statistic, used=labelled, within=UNIT_RANGE)
    sums = rows.sum(axis=0)
    value = pooled.value()
    n_units = int(labelled.sum())
    reason = Reason.NO_MATCHES if n_units else Reason.NO_UNITS
    return Agreement(
        value=value,
        undefined_reason=NO_REASON if value is not None else reason,
        n_units=n_units,
        n_raters=2,
        n_missing=sum(pairs is None for pairs in human_pairs + judge_pairs),
        n_invalid=int((labelled & ~valid).sum()),
        n_excluded=int((~labelled).sum()),
        unit="item",
        missing_rule="an unusable judge answer finds no pair; items without a human one are out",
        interval=interval_if_asked(pooled, clusters, how),
        flags=pair_flags(found),
        extra={
            "precision": float(ratio(sums[_HITS], sums[_JUDGE])),
            "recall": float(ratio(sums[_HITS], sums[_HUMAN])),
            **{name.value: float(of(sums)) for name, of in _AVERAGES.items()},
            "n_both_empty": int(sums[_ITEMS] - sums[_NONEMPTY]),
            "valid_only": float(statistic(rows[valid].sum(axis=0))),
            "repairs": found,
        },
    )


def pairwise_f1(
    annotators: Sequence[Sequence[Answer]],
    *,
    average: Average = Average.MICRO,
    first_index: int = 1,
    sizes: Sizes | None = None,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """Mean over pairs of annotators of the F1 of their index pairs, 0..1.

    ``annotators``: per annotator, per item, its pairs ``[a, b]``; None where the annotator did not
    answer. Only items that both answered count for a pair of annotators; where both matched
    nothing they agree (1, counted). ``average``: pool the items of each pair of annotators, or
    take the mean of the items' F1. Other inputs as :func:`matching_f1`.
    ``extra``: ``pairs``, the figure of each pair of annotators in the order (0, 1), (0, 2), ...
    (None where they share no item); ``micro``, ``macro``, ``macro_nonempty``; ``n_both_empty``;
    ``repairs``.

    ValueError: no annotator, unequal lengths. Undefined: no item answered by two (``no_pairs``);
    nobody matched anything (``no_matches``; micro and macro_nonempty).

    >>> round(pairwise_f1([[[[1, 1], [2, 2]]], [[[1, 1]]]]).value, 6)
    0.666667
    """
    average = Average(average)
    if not annotators:
        raise ValueError("annotators is empty: it needs the answers of at least two people.")
    for other in annotators[1:]:
        _check_lengths(annotators[0], other, sizes, "annotators")
    found: Counter[PairRepair] = Counter()
    answers = [_clean(items, first_index, sizes, found) for items in annotators]
    n_items = len(answers[0])
    blocks = [_block(one, other, _shared_row) for one, other in combinations(answers, 2)]
    rows = np.hstack(blocks) if blocks else np.zeros((n_items, _TERMS))
    sums = rows.sum(axis=0)
    by_item = rows.reshape(n_items, max(1, len(blocks)), _TERMS)
    used = np.asarray((by_item[:, :, _ITEMS] > 0).any(axis=1))
    pooled = Pooled(rows=rows, statistic=_over_annotators(average), used=used, within=UNIT_RANGE)
    value = pooled.value()
    reason = Reason.NO_MATCHES if used.any() else Reason.NO_PAIRS
    by_pair = sums.reshape(-1, _TERMS)
    return Agreement(
        value=value,
        undefined_reason=NO_REASON if value is not None else reason,
        n_units=int(used.sum()),
        n_raters=len(annotators),
        n_missing=sum(pairs is None for items in answers for pairs in items),
        n_excluded=int((~used).sum()),
        unit="item",
        missing_rule="an item counts for the pairs of annotators who both answered it",
        interval=interval_if_asked(pooled, clusters, how),
        flags=pair_flags(found),
        extra={
            "pairs": _of_annotator_pairs(by_pair, average) if len(blocks) else [],
            **{name.value: float(_over_annotators(name)(sums)) for name in Average},
            "n_both_empty": int((by_pair[:, _ITEMS] - by_pair[:, _NONEMPTY]).sum()),
            "n_shared": by_pair[:, _ITEMS].astype(int) if len(blocks) else [],
            "repairs": found,
        },
    )


_HITS, _JUDGE, _HUMAN, _ITEM_F1, _ITEMS, _NONEMPTY, _NONEMPTY_F1, _TERMS = range(8)
"""What an item adds: matched pairs, pairs of either side, its F1, 1; the last two columns leave out
items without pairs on both sides."""


ItemRow = tuple[float, ...]
Pairs = frozenset[Pair] | None


def _item_row(human: Pairs, judge: Pairs) -> ItemRow:
    if human is None:
        return (0.0,) * _TERMS
    if judge is None:
        return (0.0, 0.0, len(human), 0.0, 1.0, 1.0, 0.0)
    hits, both = len(human & judge), len(human) + len(judge)
    if not both:
        return (0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    f1 = 2.0 * hits / both
    return (hits, len(judge), len(human), f1, 1.0, 1.0, f1)


def _shared_row(one: Pairs, other: Pairs) -> ItemRow:
    return _item_row(one, other) if other is not None else (0.0,) * _TERMS


def _block(
    one: Sequence[Pairs], other: Sequence[Pairs], row: Callable[[Pairs, Pairs], ItemRow]
) -> FloatArray:
    rows = [row(a, b) for a, b in zip(one, other, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), _TERMS)


def _micro(sums: FloatArray) -> FloatArray:
    return ratio(2.0 * sums[..., _HITS], sums[..., _JUDGE] + sums[..., _HUMAN])


def _macro(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., _ITEM_F1], sums[..., _ITEMS])


def _macro_nonempty(sums: FloatArray) -> FloatArray:
    return ratio(sums[..., _NONEMPTY_F1], sums[..., _NONEMPTY])


_AVERAGES: dict[Average, Statistic] = {
    Average.MICRO: _micro,
    Average.MACRO: _macro,
    Average.MACRO_NONEMPTY: _macro_nonempty,
}


def _of_annotator_pairs(by_pair: FloatArray, average: Average) -> FloatArray:
    """The figure of each pair of annotators, (..., pairs), from (..., pairs, terms)."""
    values = _AVERAGES[average](by_pair)
    if average is not Average.MICRO:
        return values
    nothing = (by_pair[..., _JUDGE] + by_pair[..., _HUMAN] == 0) & (by_pair[..., _ITEMS] > 0)
    return np.where(nothing, 1.0, values)


def _over_annotators(average: Average) -> Statistic:
    def statistic(sums: FloatArray) -> FloatArray:
        by_pair = sums.reshape(*sums.shape[:-1], -1, _TERMS)
        mean = mean_of_defined(_of_annotator_pairs(by_pair, average))
        if average is not Average.MICRO:
            return mean
        marked = by_pair[..., [_JUDGE, _HUMAN]].sum(axis=(-2, -1))
        return np.where(marked > 0, mean, np.nan)

    return statistic


def _clean(
    answers: Sequence[Answer], first_index: int, sizes: Sizes | None, found: Counter[PairRepair]
) -> list[Pairs]:
    cleaned: list[Pairs] = []
    for place, raw in enumerate(answers):
        if raw is None:
            cleaned.append(None)
            continue
        size = sizes[place] if sizes is not None else None
        answer = clean_pairs(raw, first_index=first_index, sizes=size)
        found.update(answer.repairs)
        cleaned.append(answer.pairs)
    return cleaned


def _check_lengths(
    one: Sequence[Answer], other: Sequence[Answer], sizes: Sizes | None, names: str = ""
) -> None:
    if len(one) != len(other):
        what = f"the {names} have" if names else "human and judge have"
        raise ValueError(
            f"{what} {len(one)} and {len(other)} items; they need one answer an item each, null "
            "where there is none."
        )
    if sizes is not None and len(sizes) != len(one):
        raise ValueError(f"sizes has {len(sizes)} entries for {len(one)} items.")
