"""The mean of one statistic over several aspects that were rated on the same units. PURE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.agreement.intervals import Resampling
from evaluation.agreement.pooled import Clusters, Pooled, interval_if_asked, joined
from evaluation.agreement.result import NO_INTERVAL, NO_REASON, Agreement, Flag, Reason


def mean_over_aspects(
    each: Mapping[str, Agreement],
    parts: Sequence[Pooled],
    clusters: Clusters | None,
    how: Resampling,
) -> Agreement:
    """The mean of the values in ``each``, undefined ones left out and flagged.

    ``parts``: the sums behind the defined values, in their order; cases are resampled for all
    aspects together. ``extra["aspects"]`` holds the value of each, ``extra["undefined"]`` the
    reasons of those that have none. Undefined when no aspect has a value.
    """
    values = [result.value for result in each.values() if result.value is not None]
    missing = {
        name: result.undefined_reason for name, result in each.items() if result.value is None
    }
    reason = NO_REASON if values else next(iter(missing.values()), Reason.NO_UNITS)
    interval = NO_INTERVAL
    if values:
        together = joined(parts, lambda by_aspect: np.asarray(by_aspect.mean(axis=-1)))
        interval = interval_if_asked(together, clusters, how)
    results = list(each.values())
    return Agreement(
        value=float(np.mean(values)) if values else None,
        undefined_reason=reason,
        n_units=sum(result.n_units for result in results),
        n_raters=max((result.n_raters for result in results), default=0),
        n_missing=sum(result.n_missing for result in results),
        n_excluded=sum(result.n_excluded for result in results),
        unit="rated aspect of a unit",
        level=results[0].level if results else "",
        interval=interval,
        flags=(Flag.SOME_UNDEFINED,) if values and missing else (),
        extra={
            "aspects": {name: result.value for name, result in each.items()},
            "undefined": missing,
        },
    )
