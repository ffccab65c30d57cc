"""One figure of agreement with its name and what opens it. PURE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.agreement.result import Agreement


@dataclass(frozen=True)
class Figure:
    """``subject`` (a judge or ``humans``) measured by ``metric`` on tasks of kind ``task``.

    ``label`` is the figure's name for people. ``rows_of`` says which rows it was computed from:
    ``single``, ``list`` or ``style``. ``comparer`` names the judge whose comparisons entered.
    """

    subject: str
    task: str
    metric: str
    result: Agreement
    label: str
    rows_of: str
    comparer: str = ""
    stratum: str = "all"

    @property
    def query(self) -> str:
        """What to ask the page of rows for, to see those behind this figure."""
        name, _, value = self.stratum.partition("=")
        return f"form={self.rows_of}" + (f"&{name}={value}" if value else "")

    def to_json(self) -> dict[str, Any]:
        """The row of the command-line contract, and more."""
        result = self.result
        return {
            "subject": self.subject,
            "task": self.task,
            "metric": self.metric,
            "label": self.label,
            "comparer": self.comparer,
            "stratum": self.stratum,
            "value": result.value,
            "low": result.low,
            "high": result.high,
            "level": result.level,
            "method": result.method,
            "n_units": result.n_units,
            "n_cases": result.n_cases,
            "n_raters": result.n_raters,
            "n_invalid": result.n_invalid,
            "n_missing": result.n_missing,
            "n_excluded": result.n_excluded,
            "undefined_reason": str(result.undefined_reason),
            "interval_reason": str(result.interval.reason),
            "flags": [str(flag) for flag in result.all_flags],
        }


def with_chance(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The rows of ``figures``; each two-agree rate is followed by its chance level."""
    rows = []
    for figure in figures:
        rows.append(figure.to_json())
        if figure.metric == "two_agree":
            rows.append(_chance_row(figure))
    return rows


def _chance_row(figure: Figure) -> dict[str, Any]:
    chance = figure.result.extra.get("chance")
    row = figure.to_json() | {"metric": "two_agree_chance", "value": chance}
    row["label"] = f"{figure.label}, by chance"
    # The chance level is computed from the shares themselves: it has no interval of its own.
    row |= {"low": None, "high": None, "method": "", "interval_reason": "", "flags": []}
    if chance is not None:
        row["undefined_reason"] = ""
    return row
