"""F1 of checklist values under either credit rule. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evaluation.agreement.intervals import DEFAULT, UNIT_RANGE, Resampling
from evaluation.agreement.pairs import CleanPairs, PairRepair, RawPairs, clean_pairs, pair_flags
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked
from evaluation.agreement.ratings import FloatArray
from evaluation.agreement.result import NO_REASON, Agreement, Reason
from evaluation.metrics.matching import Credit, matched_counts


def value_f1(
    n_model: Sequence[int],
    n_reference: Sequence[int],
    pairs: Sequence[RawPairs],
    *,
    credit: Credit = Credit.TWO_SIDED,
    first_index: int = 1,
    clusters: Clusters | None = None,
    how: Resampling = DEFAULT,
) -> Agreement:
    """F1 of the model's checklist values against the reference's, pooled over items, 0..1.

    ``n_model``, ``n_reference``: numbers of values per item, 0 or more; an item with 0 on both
    sides leaves the pool. ``pairs``: per item the matched ``[model, reference]`` indices,
    counted from ``first_index``; those that name no value are dropped and flagged. ``credit``:
    ``two_sided`` or ``one_to_one``. ``clusters``: the case of each item; asks for an interval.
    ``extra``: ``precision`` and ``recall`` (0 for a side without values), the value under
    either rule, ``repairs``.

    ValueError: unequal lengths, a negative number. Undefined: no values at all
    (``nothing_applies``). Source: arXiv 2601.04424, section 3.1.

    >>> value_f1([1], [3], [[[1, 1], [1, 2]]]).value
    0.8
    >>> value_f1([1], [3], [[[1, 1], [1, 2]]], credit=Credit.ONE_TO_ONE).value
    0.5
    """
    credit = Credit(credit)
    sizes = _sizes(n_model, n_reference, len(pairs))
    cleaned = [
        clean_pairs(raw, first_index=first_index, sizes=size)
        for raw, size in zip(pairs, sizes, strict=True)
    ]
    repairs: Counter[PairRepair] = Counter()
    for answer in cleaned:
        repairs.update(answer.repairs)
    rows = {rule: _rows(cleaned, sizes, first_index, rule) for rule in Credit}
    applies = np.array([max(size) > 0 for size in sizes], dtype=np.bool_)
    pooled = Pooled(rows=rows[credit], statistic=_f1, used=applies, within=UNIT_RANGE)
    value = pooled.value()
    precision, recall = _precision_and_recall(rows[credit].sum(axis=0))
    return Agreement(
        value=value,
        undefined_reason=NO_REASON if value is not None else Reason.NOTHING_APPLIES,
        n_units=int(applies.sum()),
        n_raters=2,
        n_excluded=int((~applies).sum()),
        unit="item",
        interval=interval_if_asked(pooled, clusters, how),
        flags=pair_flags(repairs),
        extra={
            "precision": float(precision) if value is not None else None,
            "recall": float(recall) if value is not None else None,
            "credit": credit.value,
            **{rule.value: float(_f1(table.sum(axis=0))) for rule, table in rows.items()},
            "repairs": repairs,
        },
    )


def _sizes(
    n_model: Sequence[int], n_reference: Sequence[int], n_items: int
) -> list[tuple[int, int]]:
    if not len(n_model) == len(n_reference) == n_items:
        raise ValueError(
            f"n_model, n_reference and pairs have {len(n_model)}, {len(n_reference)} and {n_items} "
            "items; they need one entry an item each."
        )
    if min([0, *n_model, *n_reference]) < 0:
        raise ValueError("A number of values cannot be negative.")
    return list(zip(n_model, n_reference, strict=True))


def _rows(
    cleaned: Sequence[CleanPairs],
    sizes: Sequence[tuple[int, int]],
    first_index: int,
    credit: Credit,
) -> FloatArray:
    """Items x (matched values and values of the model, the same of the reference)."""
    rows = np.zeros((len(sizes), 4))
    for row, answer, (n_model, n_reference) in zip(rows, cleaned, sizes, strict=True):
        places = [(a - first_index, b - first_index) for a, b in answer.pairs]
        found_model, found_reference = matched_counts(places, n_model, n_reference, credit)
        row[:] = found_model, n_model, found_reference, n_reference
    return rows


def _precision_and_recall(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    found_model, n_model, found_reference, n_reference = np.moveaxis(sums, -1, 0)
    return found_model / np.maximum(n_model, 1), found_reference / np.maximum(n_reference, 1)


def _f1(sums: FloatArray) -> FloatArray:
    """Harmonic mean of precision and recall, 0 when both are 0, NaN without any value."""
    precision, recall = _precision_and_recall(sums)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    return np.where(sums[..., 1] + sums[..., 3] > 0, f1, np.nan)
