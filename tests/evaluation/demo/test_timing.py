"""Invented times: repeatable, possible, in working hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.demo.timing import SESSION, Clock, Visit, unit

FRIDAY = datetime(2026, 3, 6, 9, tzinfo=UTC)


def visits(seconds: list[float], pace: float = 1.0, seed: str = "s") -> list[Visit]:
    clock = Clock(FRIDAY, pace=pace, seed=seed)
    return [clock.visit(str(n), typical) for n, typical in enumerate(seconds)]


def test_a_draw_is_the_same_on_every_machine() -> None:
    # printf 'demo\x1f1' | sha256sum  ->  03c4890af69e...; the first 6 bytes over 2**48
    assert unit("demo", 1) == 0x03C4890AF69E / 2**48
    assert unit("demo", 1) != unit("demo1")


@settings(max_examples=50)
@given(st.lists(st.floats(5, 1200), min_size=1, max_size=30), st.floats(0.5, 2))
def test_visits_follow_each_other_and_take_what_they_should(
    seconds: list[float], pace: float
) -> None:
    given_visits = visits(seconds, pace)
    for typical, visit in zip(seconds, given_visits, strict=True):
        assert 0.6 * typical * pace - 0.1 <= visit.active_seconds <= 1.6 * typical * pace + 0.1
        assert visit.active_seconds <= visit.wall_seconds <= visit.active_seconds + 300.1
    for earlier, later in pairwise(given_visits):
        assert later.opened_at > earlier.submitted_at


def test_after_a_session_work_goes_on_at_the_same_hour_of_the_next_weekday() -> None:
    # each takes at least 0.6 x 10,000 s > 90 minutes
    first, second, third = visits([10_000, 10_000, 10_000])
    assert timedelta(seconds=6000) > SESSION
    assert first.opened_at == FRIDAY
    assert second.opened_at == datetime(2026, 3, 9, 9, tzinfo=UTC)
    assert third.opened_at == datetime(2026, 3, 10, 9, tzinfo=UTC)


def test_seed_and_pace_decide() -> None:
    many = [60.0] * 20
    assert visits(many) == visits(many)
    assert visits(many) != visits(many, seed="other")
    fast, slow = (sum(v.active_seconds for v in visits(many, pace)) for pace in (1.0, 2.0))
    assert abs(slow - 2 * fast) < 20 * 0.2
