"""When a failed call is tried again: with invented time and chance."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.llm.client import Attempt
from agent.llm.errors import TEMPORARY, ErrorKind, ModelError
from agent.llm.retry import YEAR_SECONDS, Retrier, RetryPolicy, backoff, parse_retry_after

NOW = 1_735_689_600.0  # 2025-01-01 00:00:00 UTC


class Script:
    """Raises the given errors in turn, then returns "done"; keeps its own time."""

    def __init__(self, *errors: ModelError, draw: float = 1.0, seconds_per_try: float = 0.0):
        self.errors = list(errors)
        self.slept: list[float] = []
        self.now = 0.0
        self.history: list[Attempt] = []
        self._draw = draw
        self._seconds_per_try = seconds_per_try

    def run(self, policy: RetryPolicy | None = None) -> str:
        retrier = Retrier(
            policy or RetryPolicy(),
            sleep=self._sleep,
            clock=lambda: self.now,
            draw=lambda: self._draw,
        )
        return retrier.call(self._attempt, self.history)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def _attempt(self) -> str:
        self.now += self._seconds_per_try
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def failed(kind: ErrorKind, **fields: object) -> ModelError:
    return ModelError("It failed.", kind=kind, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "61"}, 61.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "in two weeks"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "1e300"}, YEAR_SECONDS),
        ({"retry-after": "Wed, 01 Jan 2025 00:02:00 GMT"}, 120.0),
        ({"retry-after": "Tue, 31 Dec 2024 23:00:00 GMT"}, 0.0),
        ({"retry-after": "Fri, 01 Jan 9999 00:00:00 GMT"}, YEAR_SECONDS),
        ({"retry-after": "Wed, 99 Jan 2025 00:02:00 GMT"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers: dict, seconds: float | None) -> None:
    assert parse_retry_after(headers, NOW) == seconds


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30))
def test_no_header_text_breaks_the_reader(text: str) -> None:
    seconds = parse_retry_after({"retry-after": text}, NOW)
    assert seconds is None or 0 <= seconds <= YEAR_SECONDS


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_a_date_and_the_seconds_until_then_agree(seconds: int) -> None:
    date = format_datetime(datetime.fromtimestamp(NOW + seconds, UTC), usegmt=True)
    assert parse_retry_after({"retry-after": date}, NOW) == seconds


def test_waits_double_up_to_their_limit_and_are_drawn_between_zero_and_it() -> None:
    policy = RetryPolicy(base_seconds=1, max_backoff_seconds=60)
    assert [backoff(policy, n, lambda: 1.0) for n in range(1, 9)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert [backoff(policy, n, lambda: 0.25) for n in (1, 2, 3)] == [0.25, 0.5, 1.0]
    assert backoff(policy, 5, lambda: 0.0) == 0.0
    assert backoff(policy, 10**6, lambda: 1.0) == 60


def test_a_temporary_error_is_tried_again_and_kept_in_the_history() -> None:
    script = Script(failed(ErrorKind.OVERLOADED, status=503), failed(ErrorKind.CONNECTION))
    assert script.run() == "done"
    assert script.slept == [1.0, 2.0]
    assert [(a.kind, a.status, a.waited) for a in script.history] == [
        (ErrorKind.OVERLOADED, 503, 1.0),
        (ErrorKind.CONNECTION, None, 2.0),
    ]


@pytest.mark.parametrize("kind", sorted(set(ErrorKind) - TEMPORARY))
def test_an_error_that_waiting_cannot_mend_is_raised_at_once(kind: ErrorKind) -> None:
    script = Script(failed(kind, retry_after=1.0))
    with pytest.raises(ModelError) as caught:
        script.run()
    assert (caught.value.kind, caught.value.temporary) == (kind, False)
    assert script.slept == []


def test_the_endpoints_wait_is_obeyed_exactly_up_to_the_cap() -> None:
    script = Script(failed(ErrorKind.RATE_LIMITED, retry_after=120.0), draw=0.1)
    assert script.run(RetryPolicy(retry_after_cap_seconds=120)) == "done"
    assert script.slept == [120.0]


def test_above_the_cap_the_error_says_when_to_come_back() -> None:
    when = datetime(2025, 1, 1, 1, 2, 3, tzinfo=UTC)
    script = Script(failed(ErrorKind.RATE_LIMITED, retry_after=3723.0, retry_at=when))
    with pytest.raises(ModelError, match="3723 seconds, until 2025-01-01 01:02:03 UTC") as caught:
        script.run()
    assert caught.value.temporary
    assert caught.value.retry_at == when
    assert script.slept == []


def test_tries_are_counted_and_the_last_error_carries_the_earlier_ones() -> None:
    script = Script(*[failed(ErrorKind.OVERLOADED) for _ in range(9)])
    with pytest.raises(ModelError, match="Given up after 3 tries in 3 seconds") as caught:
        script.run(RetryPolicy(max_attempts=3))
    assert script.slept == [1.0, 2.0]
    assert [attempt.waited for attempt in caught.value.attempts] == [1.0, 2.0]


def test_one_try_is_no_retrying() -> None:
    script = Script(failed(ErrorKind.OVERLOADED))
    with pytest.raises(ModelError) as caught:
        script.run(RetryPolicy(max_attempts=1))
    assert "Given up" not in caught.value.message


def test_no_wait_is_begun_that_would_pass_the_time_of_a_call() -> None:
    # Tries end at 40, then 40+1+40 = 81; a wait of 2 would end at 83 > 82.
    script = Script(*[failed(ErrorKind.OVERLOADED) for _ in range(9)], seconds_per_try=40)
    with pytest.raises(ModelError, match="would pass the limit of 82"):
        script.run(RetryPolicy(max_total_seconds=82))
    assert script.slept == [1.0]


def test_answers_that_cost_money_have_lower_limits() -> None:
    script = Script(*[failed(ErrorKind.EMPTY_BILLED) for _ in range(9)])
    with pytest.raises(ModelError, match="2 tries"):
        script.run()
    assert len(script.slept) == 1
