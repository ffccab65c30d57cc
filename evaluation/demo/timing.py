"""How long an invented answer took, and when it was given: seeded, repeatable. PURE."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

SESSION = timedelta(minutes=90)
"""Work of one day; the next answer is opened the next weekday, at the same hour."""

IDLE_SHARE = 0.06
"""Share of the answers with a pause in them."""

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Visit:
    """One answer's time. ``active_seconds`` leaves the pause out; whole tenths of a second."""

    opened_at: datetime
    submitted_at: datetime
    active_seconds: float

    @property
    def wall_seconds(self) -> float:
        return round((self.submitted_at - self.opened_at).total_seconds(), 1)


def unit(*parts: object) -> float:
    """A number in [0, 1) that depends on ``parts`` alone: the same on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


class Clock:
    """One annotator's days of work, from ``starts_at`` on."""

    def __init__(self, starts_at: datetime, *, pace: float, seed: str) -> None:
        self._session_start = starts_at
        self._now = starts_at
        self._pace = pace
        self._seed = seed

    def visit(self, key: str, typical_seconds: float) -> Visit:
        """The time of the answer ``key``, 0.6 to 1.6 times the typical one at this pace."""
        if self._now - self._session_start > SESSION:
            self._next_day()
        spread = 0.6 + unit(self._seed, key, "active")
        active = round(typical_seconds * self._pace * spread, 1)
        opened = self._now
        submitted = opened + timedelta(seconds=active + self._pause(key))
        self._now = submitted + timedelta(seconds=1)
        return Visit(opened, submitted, active)

    def _pause(self, key: str) -> float:
        if unit(self._seed, key, "has pause") >= IDLE_SHARE:
            return 0.0
        return round(60 + 240 * unit(self._seed, key, "pause"), 1)

    def _next_day(self) -> None:
        self._session_start += timedelta(days=1)
        while self._session_start.weekday() >= _SATURDAY:
            self._session_start += timedelta(days=1)
        self._now = self._session_start
