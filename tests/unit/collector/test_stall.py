"""When a store counts as stalled, with a clock that the test sets."""

from __future__ import annotations

from spanloom.collector.spool.attempts import STALL_S, Stall


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_told_while_nothing_succeeds_and_no_longer() -> None:
    clock = Clock()
    stall = Stall(clock)
    assert not stall.trouble(lambda: 1e9), "nothing was tried"
    for _ in range(7):
        stall.note_failure("unavailable")
        clock.now_s += 10
    assert "1 min (unavailable" in stall.trouble(lambda: 70)
    stall.note_success()
    assert not stall.trouble(lambda: 70)


def test_a_short_outage_is_not_told() -> None:
    clock = Clock()
    stall = Stall(clock)
    stall.note_failure("fault")
    clock.now_s += STALL_S - 1
    assert not stall.trouble(lambda: 59)


def test_one_dead_letter_on_a_quiet_day_is_not_told_but_many_are() -> None:
    clock = Clock()
    stall = Stall(clock)
    stall.note_failure("rejected")
    clock.now_s += 3600
    assert not stall.trouble(lambda: 0.1)
    stall.note_failure("rejected")
    assert "60 min (rejected" in stall.trouble(lambda: 0.0)


def test_an_attempt_that_takes_minutes_is_told() -> None:
    clock = Clock()
    stall = Stall(clock)
    stall.note_failure("unavailable")
    clock.now_s += 300
    assert stall.trouble(lambda: 300)
