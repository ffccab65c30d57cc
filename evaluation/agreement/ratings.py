"""Ratings as labels -> positions on a scale. PURE.

A *rating* is a label (a string or a number) or missing: None in lists, NaN in numeric arrays.
A *scale* is the full list of levels a rater could choose, in order. Levels come from the task,
not from the data: weights and chance agreement depend on levels that nobody used.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Label = str | int | float | bool
Rating = Label | None
Ratings = Sequence[Sequence[Rating]] | npt.NDArray[np.generic]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
CodeArray = npt.NDArray[np.signedinteger]
"""Positions on a scale, -1 for missing."""

MISSING = -1
MAX_LEVELS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The levels of a measurement, in order.

    ``given``: the task named the levels; otherwise they are those that occur, and statistics
    that depend on unused levels refuse the scale. ``ordered``: the order means something.
    """

    levels: tuple[Label, ...]
    given: bool
    ordered: bool

    @classmethod
    def of(cls, levels: Sequence[Label] | None, *ratings: Iterable[Rating]) -> Scale:
        """The scale with these ``levels``, or with the labels that occur in ``ratings``.

        Raises ValueError when a level is repeated or not finite, or when there are over 1,000.
        """
        labels = _distinct(ratings) if levels is None else [_plain(level) for level in levels]
        if any(isinstance(label, float) and not math.isfinite(label) for label in labels):
            raise ValueError("NaN and infinity are no labels; a missing rating is null (None).")
        if len({_key(label) for label in labels}) < len(labels):
            raise ValueError(f"levels names a level twice: {labels}.")
        if len(labels) > MAX_LEVELS:
            raise ValueError(
                f"There are {len(labels)} different labels; at most {MAX_LEVELS} are allowed. "
                "Round the values to a scale."
            )
        ordered = levels is not None or all(_is_number(label) for label in labels)
        return cls(tuple(labels), given=levels is not None, ordered=ordered)

    def __len__(self) -> int:
        return len(self.levels)

    def numbers(self) -> FloatArray:
        """The levels as numbers, for interval and ratio measurement.

        Raises ValueError when a level is no number.
        """
        if not all(_is_number(level) for level in self.levels):
            raise ValueError("interval and ratio measurement need levels that are numbers.")
        return np.asarray(self.levels, dtype=np.float64)

    def require_order(self, purpose: str) -> None:
        """Raise ValueError when the order of the levels is unknown."""
        if not self.ordered:
            raise ValueError(f"{purpose} needs levels: the full scale, from lowest to highest.")

    def require_given(self, purpose: str) -> None:
        """Raise ValueError when the levels were only seen, not given by the task."""
        if not self.given:
            raise ValueError(f"{purpose} needs levels: the full scale, with levels nobody used.")

    def encode(self, ratings: Sequence[Rating] | npt.NDArray[np.generic]) -> CodeArray:
        """Positions on the scale, -1 for missing; the shape of ``ratings``.

        Raises ValueError for a label that is not on the scale.
        """
        if isinstance(ratings, np.ndarray) and ratings.dtype.kind in "iuf":
            return self._encode_numbers(ratings)
        values = ratings.tolist() if isinstance(ratings, np.ndarray) else ratings
        place = {_key(level): code for code, level in enumerate(self.levels)}
        place[_key(None)] = MISSING
        try:
            codes = [place[_key(value)] for value in values]
        except KeyError:
            stray = next(value for value in values if _key(value) not in place)
            raise self._stray(stray) from None
        return np.asarray(codes, dtype=np.int32)

    def _encode_numbers(self, ratings: npt.NDArray[np.generic]) -> CodeArray:
        codes: CodeArray
        if ratings.size * len(self) <= 2_000 and all(map(_is_number, self.levels)):
            same = ratings[..., np.newaxis] == np.asarray(self.levels)
            codes = same @ np.arange(1, len(self) + 1) + MISSING
        else:
            width = np.int8 if len(self) < 127 else np.int32
            codes = np.full(ratings.shape, MISSING, dtype=width)
            for code, level in enumerate(self.levels):
                if _is_number(level):
                    codes += (ratings == level) * codes.dtype.type(code - MISSING)
        missing = int(np.count_nonzero(codes == MISSING))
        if missing:
            known = ~np.isnan(ratings)
            if missing != ratings.size - int(np.count_nonzero(known)):
                raise self._stray(ratings[(codes == MISSING) & known].flat[0].item())
        return codes

    def _stray(self, label: object) -> ValueError:
        if isinstance(label, float) and math.isnan(label):
            return ValueError("NaN is not a label; a missing rating is null (None).")
        return ValueError(f"The label {label!r} is not one of the levels {list(self.levels)}.")


def _plain(label: Label) -> Label:
    return label.item() if isinstance(label, np.generic) else label


def _key(label: object) -> Hashable:
    """1 and 1.0 are one label; True and 1 are two."""
    return (True, label) if isinstance(label, bool) else label


def _is_number(label: object) -> bool:
    return isinstance(label, int | float) and not isinstance(label, bool)


def _distinct(ratings: Iterable[Iterable[Rating]]) -> list[Label]:
    """The labels that occur, numbers first and in order, then strings."""
    seen: dict[Hashable, Label] = {}
    for row in ratings:
        if isinstance(row, np.ndarray) and row.dtype.kind in "iuf":
            values: Iterable[Rating] = np.unique(row[~np.isnan(row)]).tolist()
        else:
            values = row
        for label in values:
            if label is not None:
                seen.setdefault(_key(label), label)
    return sorted(seen.values(), key=_scale_order)


def _scale_order(label: Label) -> tuple[int, float, str]:
    return (0, float(label), "") if _is_number(label) else (1, 0.0, str(label))


def rows_of(ratings: Ratings) -> list[Sequence[Rating] | npt.NDArray[np.generic]]:
    """The raters' rows, checked to be of one length.

    Raises ValueError when there is no rater or when rows differ in length.
    """
    rows = list(ratings)
    if not rows:
        raise ValueError("ratings has no rater: it needs one row of ratings a rater.")
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ValueError(
            "ratings has rows of different length "
            f"({', '.join(str(len(row)) for row in rows[:10])}); every rater needs one rating a "
            "unit, null where it is missing."
        )
    return rows


def encode(ratings: Ratings, levels: Sequence[Label] | None) -> tuple[CodeArray, Scale]:
    """Codes (raters x units, -1 missing) and the scale they point into.

    Raises ValueError for rows of unequal length or a label outside ``levels``.
    """
    if isinstance(ratings, np.ndarray) and ratings.ndim == 2 and ratings.dtype.kind in "iuf":
        scale = Scale.of(levels, ratings)
        return scale.encode(ratings), scale
    rows = rows_of(ratings)
    scale = Scale.of(levels, *rows)
    return np.vstack([scale.encode(row) for row in rows]), scale


def encode_two(
    a: Sequence[Rating] | npt.NDArray[np.generic],
    b: Sequence[Rating] | npt.NDArray[np.generic],
    levels: Sequence[Label] | None,
    names: tuple[str, str] = ("a", "b"),
) -> tuple[CodeArray, CodeArray, Scale]:
    """Codes of two raters on one scale; ``names`` are used in errors.

    Raises ValueError when the lengths differ or a label is outside ``levels``.
    """
    if len(a) != len(b):
        raise ValueError(
            f"{names[0]} has {len(a)} values and {names[1]} has {len(b)}; "
            "they need one value a unit each, in the same order."
        )
    scale = Scale.of(levels, a, b)
    return scale.encode(a), scale.encode(b), scale
