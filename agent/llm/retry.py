"""Which model errors are tried again, when, and how often. PURE: time and chance are injected.

The endpoint's own ``Retry-After`` is obeyed exactly up to a cap; above the cap the error is raised
with the time to come back, so that the run can be parked instead of blocking a worker. Without
one, waits grow exponentially with full jitter (a uniform draw between 0 and the growing limit).
Only errors marked temporary are tried again: never a wrong key, an empty account or a refusal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TypeVar

from agent.llm.client import Attempt
from agent.llm.errors import ErrorKind, ModelError

T = TypeVar("T")

YEAR_SECONDS = 366 * 24 * 3600.0

# Tries of one kind per call, where every try costs money or minutes.
TRIES_BY_KIND = {
    ErrorKind.EMPTY: 2,
    ErrorKind.EMPTY_BILLED: 2,
    ErrorKind.INVALID_REPLY: 2,
    ErrorKind.ERROR_IN_BODY: 3,
    ErrorKind.TIMEOUT: 3,
}


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of one call, all in seconds except the counts.

    max_attempts: tries altogether, >= 1 (1 = never again).
    max_total_seconds: no wait is begun that would end later than this after the first try.
    retry_after_cap_seconds: longest ``Retry-After`` that is waited for in place.
    tries_by_kind: lower limits for single kinds of error.
    """

    max_attempts: int = 6
    max_total_seconds: float = 900.0
    base_seconds: float = 1.0
    max_backoff_seconds: float = 60.0
    retry_after_cap_seconds: float = 120.0
    tries_by_kind: Mapping[ErrorKind, int] = field(default_factory=lambda: dict(TRIES_BY_KIND))


def parse_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait according to ``retry-after-ms`` or ``retry-after``; None when unreadable.

    headers: names in lower case. ``retry-after`` may be a number of seconds or an HTTP date, which
    is taken relative to ``now`` (seconds since the epoch). A time that has passed gives 0; absurdly
    long ones are cut to a year.
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return min(max(seconds * scale, 0.0), YEAR_SECONDS)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        return min(max(moment.timestamp() - now, 0.0), YEAR_SECONDS)
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def backoff(policy: RetryPolicy, failures: int, draw: Callable[[], float]) -> float:
    """Seconds to wait after the ``failures``-th failure (1-based); ``draw`` gives 0..1."""
    limit = policy.base_seconds * 2.0 ** min(failures - 1, 60)
    return draw() * min(limit, policy.max_backoff_seconds)


@dataclass(frozen=True)
class Retrier:
    """Runs one call under a policy.

    sleep(seconds), clock() in monotonic seconds, draw() uniform in 0..1.
    """

    policy: RetryPolicy
    sleep: Callable[[float], None]
    clock: Callable[[], float]
    draw: Callable[[], float]

    def call(self, attempt: Callable[[], T], history: list[Attempt]) -> T:
        """Return ``attempt()``, trying again as the policy allows.

        Failed tries are appended to ``history``. The last ``ModelError`` is raised with all
        earlier ones in ``attempts`` and, when a wait is too long, the time to come back.
        """
        start = self.clock()
        failures: Counter[ErrorKind] = Counter()
        while True:
            try:
                return attempt()
            except ModelError as error:
                failures[error.kind] += 1
                wait = self._wait_after(error, failures, self.clock() - start)
                if wait is None:
                    error.attempts = tuple(history)
                    raise
                history.append(attempt_of(error, waited=wait))
            self.sleep(wait)

    def _wait_after(
        self, error: ModelError, failures: Counter[ErrorKind], elapsed: float
    ) -> float | None:
        """Seconds to wait before the next try, None to give up."""
        policy = self.policy
        tries = failures.total()
        if not error.temporary:
            return None
        if error.retry_after is not None and error.retry_after > policy.retry_after_cap_seconds:
            error.add(_come_back(error))
            return None
        kind_limit = policy.tries_by_kind.get(error.kind, policy.max_attempts)
        if tries >= policy.max_attempts or failures[error.kind] >= kind_limit:
            if tries > 1:
                error.add(f"Given up after {tries} tries in {elapsed:.0f} seconds.")
            return None
        if error.retry_after is not None:
            wait = error.retry_after
        else:
            wait = backoff(policy, tries, self.draw)
        if elapsed + wait > policy.max_total_seconds:
            error.add(
                f"Given up after {tries} tries in {elapsed:.0f} seconds: another wait of {wait:.0f}"
                f" seconds would pass the limit of {policy.max_total_seconds:.0f}."
            )
            return None
        return wait


def attempt_of(error: ModelError, *, waited: float) -> Attempt:
    """The record of a failed try that was followed by ``waited`` seconds of waiting."""
    return Attempt(
        kind=error.kind,
        message=error.message,
        status=error.status,
        seconds=error.seconds,
        waited=waited,
        usage=error.usage,
    )


def _come_back(error: ModelError) -> str:
    when = f", until {error.retry_at:%Y-%m-%d %H:%M:%S} UTC" if error.retry_at else ""
    return f"The endpoint asks to wait {error.retry_after:.0f} seconds{when}."
