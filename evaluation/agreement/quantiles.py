"""Quantiles of the normal and of Student's t. PURE."""

from __future__ import annotations

import math
from statistics import NormalDist

_NORMAL = NormalDist()


def normal_quantile(share: float) -> float:
    """The point below which ``share`` (0..1) of a standard normal lies; infinite at 0 and 1."""
    if share <= 0.0:
        return -math.inf
    return math.inf if share >= 1.0 else _NORMAL.inv_cdf(share)


def normal_share(point: float) -> float:
    """The share of a standard normal below ``point``."""
    return _NORMAL.cdf(point)


def t_quantile(share: float, df: float) -> float:
    """The point below which ``share`` (0..1, exclusive) of Student's t with ``df`` lies."""
    # half of the start of the command would be this import, and few answers need it
    from scipy.special import stdtrit

    return float(stdtrit(df, share))
