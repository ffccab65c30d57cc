"""Figures made ready for a page: rounded texts, places on an axis, sentences. PURE."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.agreement.intervals import FEWEST_CASES
from evaluation.agreement.result import NO_REASON, Flag, Reason
from evaluation.meta_evaluating.figures import Figure

# These may be negative: their axis runs from -1 to 1.
_SIGNED = frozenset({"kappa", "kappa_quadratic", "fleiss_kappa", "ac1", "coverage_kappa"})


@dataclass(frozen=True)
class Axis:
    """Places on an axis of 0..100 for a small drawing; ``zero_x`` only when zero is inside."""

    x: float
    low_x: float
    high_x: float
    zero_x: float | None


@dataclass(frozen=True)
class Shown:
    """A figure in words. ``value`` is ready text; ``why`` says why there is no value."""

    figure: Figure
    label: str
    value: str
    interval: str
    axis: Axis | None
    counts: str
    why: str
    notes: tuple[str, ...]

    @property
    def is_defined(self) -> bool:
        return not self.why

    @property
    def sentence(self) -> str:
        """For those who hear the page instead of seeing it."""
        return f"{self.label}: {self.value or self.why} {self.interval}".strip()


def show(figure: Figure) -> Shown:
    """``figure`` as a page shows it: three decimals, the interval, the counts, the notes."""
    result = figure.result
    reason = result.undefined_reason
    value = "" if result.value is None else f"{result.value:.3f}"
    interval, axis = "", None
    if result.value is not None and result.low is not None and result.high is not None:
        interval = f"[{result.low:.3f}, {result.high:.3f}]"
        axis = _axis(figure, result.value, result.low, result.high)
    notes = [flag.sentence for flag in result.all_flags if isinstance(flag, Flag)]
    if result.value is not None and isinstance(result.interval.reason, Reason):
        interval = _no_interval(figure, result.interval.reason)
        if result.interval.reason is not Reason.TOO_FEW_CASES:
            notes.insert(0, result.interval.reason.sentence)
    return Shown(
        figure=figure,
        label=figure.label,
        value=value,
        interval=interval,
        axis=axis,
        counts=_counts(figure),
        why=reason.sentence if reason != NO_REASON and isinstance(reason, Reason) else "",
        notes=tuple(notes),
    )


def _axis(figure: Figure, value: float, low: float, high: float) -> Axis:
    signed = figure.metric in _SIGNED or figure.metric.startswith("alpha")
    bottom = -1.0 if signed else 0.0

    def place(number: float) -> float:
        inside = min(max(number, bottom), 1.0)
        return round(100 * (inside - bottom) / (1.0 - bottom), 2)

    return Axis(place(value), place(low), place(high), 50.0 if signed else None)


def _no_interval(figure: Figure, reason: Reason) -> str:
    if reason is Reason.TOO_FEW_CASES:
        n = figure.result.n_cases or 0
        return f"no interval: {n} case{'' if n == 1 else 's'}, {FEWEST_CASES} needed"
    return "no interval"


def _counts(figure: Figure) -> str:
    result = figure.result
    parts = [f"n = {result.n_units}"]
    if result.n_cases is not None and result.n_units:
        parts.append(f"{result.n_cases} case{'' if result.n_cases == 1 else 's'}")
    if result.n_invalid:
        parts.append(f"{result.n_invalid} not scored")
        valid_only = result.extra.get("valid_only")
        if isinstance(valid_only, float):
            parts.append(f"{valid_only:.3f} without them")
    if result.n_excluded:
        parts.append(f"{result.n_excluded} left out")
    return " · ".join(parts)
