"""How much two levels of a scale disagree. PURE."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from evaluation.agreement.ratings import FloatArray, Scale


class Weights(StrEnum):
    """What counts as near: nothing but equality, or closeness on the scale."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


def disagreement(scale: Scale, weights: Weights) -> FloatArray:
    """Levels x levels, 0 on the diagonal and 1 between the ends of the scale.

    ``none``: 1 off the diagonal; ``linear``: distance in steps of the scale; ``quadratic``: its
    square. Raises ValueError when closeness is asked of a scale that was not given by the task.
    """
    positions = np.arange(len(scale))
    steps = np.abs(positions[:, np.newaxis] - positions)
    if weights is Weights.NONE:
        return (steps > 0).astype(np.float64)
    scale.require_given(f"{weights} weights")
    furthest = max(1, len(scale) - 1)
    power = 1 if weights is Weights.LINEAR else 2
    return (steps / furthest) ** power


def similarity(scale: Scale, weights: Weights) -> FloatArray:
    """Levels x levels: 1 minus :func:`disagreement`."""
    return 1.0 - disagreement(scale, weights)
