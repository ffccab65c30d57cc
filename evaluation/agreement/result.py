"""What a statistic of agreement returns: a number, or why there is none. PURE."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Scalar = None | bool | int | float | str
JsonValue = Scalar | list["JsonValue"] | dict[str, "JsonValue"]


class Reason(StrEnum):
    """Why a value or an interval is undefined. The strings are stored and published."""

    NO_UNITS = "no_units"
    NO_PAIRS = "no_pairs"
    NO_TRIPLES = "no_triples"
    NO_MATCHES = "no_matches"
    NOTHING_APPLIES = "nothing_applies"
    NO_VARIATION = "no_variation"
    UNEQUAL_RATERS = "unequal_raters"
    UNDEFINED_VALUE = "undefined_value"
    TOO_FEW_CASES = "too_few_cases"
    DEGENERATE_BOOTSTRAP = "degenerate_bootstrap"
    DEGENERATE_JACKKNIFE = "degenerate_jackknife"

    @property
    def sentence(self) -> str:
        """The reason for people."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.NO_UNITS: "There is nothing to compute from: no unit has the ratings that are needed.",
    Reason.NO_PAIRS: "No item was rated by two people.",
    Reason.NO_TRIPLES: "No item was rated by exactly three people.",
    Reason.NO_MATCHES: "Nobody matched anything, so there is no pair to find again.",
    Reason.NOTHING_APPLIES: "No item has a value on either side.",
    Reason.NO_VARIATION: (
        "All ratings are the same, so agreement beyond chance cannot be told from chance."
    ),
    Reason.UNEQUAL_RATERS: (
        "Units differ in their number of ratings; use Krippendorff's alpha at nominal level."
    ),
    Reason.UNDEFINED_VALUE: "The value itself is undefined, so there is no interval.",
    Reason.TOO_FEW_CASES: "Fewer than five cases: too few for an interval.",
    Reason.DEGENERATE_BOOTSTRAP: (
        "Resampled cases leave the value undefined too often, or all give the same value."
    ),
    Reason.DEGENERATE_JACKKNIFE: (
        "Leaving one case out makes the value undefined, or never changes it."
    ),
}

NO_REASON: Literal[""] = ""
Undefined = Reason | Literal[""]


class Flag(StrEnum):
    """A property of the data that a reader of the number must be told."""

    ONE_RATER_CONSTANT = "one_rater_constant"
    PREVALENCE_ABOVE_90 = "prevalence_above_90"
    SOME_UNDEFINED = "some_undefined"
    INDEX_ZERO = "index_zero"
    OUT_OF_RANGE = "out_of_range"
    FEW_CASES = "few_cases"
    UNDEFINED_REPLICATES = "undefined_replicates"
    CUT_TO_RANGE = "cut_to_range"

    @property
    def sentence(self) -> str:
        """The flag for people."""
        return _FLAG_SENTENCES[self]


_FLAG_SENTENCES = {
    Flag.ONE_RATER_CONSTANT: "One rater used a single level throughout.",
    Flag.PREVALENCE_ABOVE_90: (
        "One level holds more than 90 % of the ratings; chance-corrected values are then close to "
        "zero even when people agree. Read them beside the share of agreement and AC1."
    ),
    Flag.SOME_UNDEFINED: "Some parts of the mean are undefined and were left out.",
    Flag.INDEX_ZERO: "Some indices are 0 although counting starts at 1; nothing was shifted.",
    Flag.OUT_OF_RANGE: "Some indices name no value; their pairs were dropped.",
    Flag.FEW_CASES: "Fewer than ten cases: read the interval with caution.",
    Flag.UNDEFINED_REPLICATES: "More than 1 % of the resampled values were undefined.",
    Flag.CUT_TO_RANGE: "The interval was cut at the limit of the scale.",
}


class Method(StrEnum):
    """How an interval was made."""

    JACKKNIFE_T = "jackknife_t"
    PERCENTILE = "percentile"
    BCA = "bca"
    WILSON = "wilson"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval by case, or why there is none; empty when none was asked for.

    ``low``, ``high``: limits on the scale of the value. ``se``: standard error of the
    jackknife. ``design_effect``: variance by case over the variance that independent units would
    have. ``n_undefined``: replicates without a value. ``draws`` and ``seed`` belong to the
    bootstrap and are None for other methods; ``z0`` and ``acceleration`` to BCa.
    """

    low: float | None = None
    high: float | None = None
    method: Method | Literal[""] = ""
    confidence: float = 0.95
    n_cases: int | None = None
    se: float | None = None
    draws: int | None = None
    seed: int | None = None
    n_undefined: int = 0
    z0: float | None = None
    acceleration: float | None = None
    design_effect: float | None = None
    reason: Undefined = NO_REASON
    flags: tuple[Flag, ...] = ()


NO_INTERVAL = Interval()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One figure of agreement with what is needed to read it.

    ``value`` is None exactly when ``undefined_reason`` says why. ``n_units`` counts the units
    that entered (``unit`` names them), ``n_raters`` the raters, ``n_missing`` the ratings that
    are not there, ``n_invalid`` the judge answers that could not be used, ``n_excluded`` the
    units left out; ``missing_rule`` says how missing ratings are treated. ``level`` is the level of
    measurement. ``extra`` holds companion figures as
    plain JSON values, None for those that are undefined. NaN and infinity are refused elsewhere.
    """

    value: float | None
    n_units: int
    n_raters: int
    n_missing: int = 0
    n_invalid: int = 0
    n_excluded: int = 0
    undefined_reason: Undefined = NO_REASON
    unit: str = "unit"
    missing_rule: str = ""
    level: str = ""
    interval: Interval = NO_INTERVAL
    flags: tuple[Flag, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.undefined_reason):
            raise ValueError("a value is undefined exactly when a reason is given")
        for number in (self.value, self.interval.low, self.interval.high):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{number} is not a figure of agreement; give None and a reason")
        object.__setattr__(self, "extra", to_plain(self.extra))

    @property
    def low(self) -> float | None:
        """Lower limit of the interval by case."""
        return self.interval.low

    @property
    def high(self) -> float | None:
        """Upper limit of the interval by case."""
        return self.interval.high

    @property
    def method(self) -> str:
        """How the interval was made; empty when there is none."""
        return self.interval.method

    @property
    def n_cases(self) -> int | None:
        """Cases that entered; None when units were not told apart by case."""
        return self.interval.n_cases

    @property
    def all_flags(self) -> tuple[Flag, ...]:
        """What must be said of the value, then what must be said of its interval."""
        return self.flags + self.interval.flags

    def to_json(self) -> dict[str, JsonValue]:
        """All of it as plain JSON values, in full precision; never NaN or infinity."""
        interval = self.interval
        plain = to_plain(
            {
                "value": self.value,
                "low": interval.low,
                "high": interval.high,
                "n_units": self.n_units,
                "n_raters": self.n_raters,
                "n_missing": self.n_missing,
                "undefined_reason": self.undefined_reason,
                "unit": self.unit,
                "missing_rule": self.missing_rule,
                "level": self.level,
                "n_cases": interval.n_cases,
                "n_invalid": self.n_invalid,
                "n_excluded": self.n_excluded,
                "method": interval.method,
                "confidence": interval.confidence if interval.method else None,
                "se": interval.se,
                "draws": interval.draws,
                "seed": interval.seed,
                "n_undefined_replicates": interval.n_undefined,
                "design_effect": interval.design_effect,
                "interval_reason": interval.reason,
                "flags": self.all_flags,
                "notes": [note.sentence for note in self._notes()],
                "extra": self.extra,
            }
        )
        assert isinstance(plain, dict)  # noqa: S101 - to_plain keeps the shape
        return plain

    def _notes(self) -> list[Reason | Flag]:
        reasons = dict.fromkeys((self.undefined_reason, self.interval.reason))
        return [reason for reason in reasons if isinstance(reason, Reason)] + list(self.all_flags)


def to_plain(value: object) -> JsonValue:
    """``value`` with numpy scalars, enums, tuples and mappings turned into plain JSON values.

    A float that is not finite becomes None: JSON has no word for it. Raises TypeError for
    anything else that JSON cannot hold.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_plain(part) for key, part in value.items()}
    if isinstance(value, Sequence | set | frozenset):
        return [to_plain(part) for part in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return to_plain(value.tolist())
    raise TypeError(f"{type(value).__name__} has no place in JSON")
