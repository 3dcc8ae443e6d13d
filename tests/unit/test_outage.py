"""An outage of the store is logged in few lines, however many parts notice it and how often."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from spanloom.core.errors import PermanentError, StoreUnavailableError
from spanloom.outage import AGAIN_S, Outage, duration

AWAY = StoreUnavailableError("away")


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_ten_minutes_are_one_line_a_minute_and_one_at_the_end() -> None:
    clock = Clock()
    outage = Outage(clock)
    with capture_logs() as lines:
        for _ in range(1201):
            outage.note("keys", AWAY)
            outage.note("writer", AWAY)
            clock.now_s += 0.5
        outage.over("keys")
        assert len(lines) == 11  # the writer has not succeeded yet
        clock.now_s += 2.5
        outage.over("writer")
    events = [line["event"] for line in lines]
    assert events[0] == "the store is not available; trying again"
    assert set(events[1:11]) == {"the store is still not available"}
    assert lines[10]["needed_by"] == ["keys", "writer"]
    assert (lines[1]["lasted"], lines[1]["failures"]) == ("1 min 0 s", 241)
    last = lines[-1]
    assert (last["event"], last["log_level"]) == ("the store is available again", "info")
    assert (last["lasted"], last["failures"]) == ("10 min 3 s", 2402)
    assert len(lines) == 12


def test_what_works_ends_no_outage_of_what_does_not() -> None:
    outage = Outage(Clock())
    with capture_logs() as lines:
        for _ in range(100):
            outage.note("writer", AWAY)
            outage.over("keys")
    assert len(lines) == 1


def test_a_store_that_comes_and_goes_fills_no_log() -> None:
    clock = Clock()
    outage = Outage(clock)
    with capture_logs() as lines:
        for _ in range(int(5 * AGAIN_S)):
            outage.note("keys", AWAY)
            clock.now_s += 0.5
            outage.over("keys")
            clock.now_s += 0.5
    assert len(lines) == 2 * 5  # the first line of each minute, and one for the end


def test_its_trouble_is_told_after_a_minute_without_any_data() -> None:
    clock = Clock()
    outage = Outage(clock)
    assert outage.trouble() == ""
    outage.note("keys", StoreUnavailableError("project p"))
    assert outage.trouble() == ""
    clock.now_s += AGAIN_S
    assert outage.trouble() == "the store has not been available for 1 min 0 s; the log says why"
    outage.over("keys")
    assert outage.trouble() == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (603, "10 min 3 s"), (7500, "2 h 5 min")],
)
def test_durations_are_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_watched_block_that_fails_because_of_the_store_raises_nothing() -> None:
    outage = Outage()
    with capture_logs() as logged:
        with outage.watched("loop"):
            raise StoreUnavailableError("down")
        with outage.watched("loop"):
            pass
    assert [line["event"] for line in logged] == [
        "the store is not available; trying again",
        "the store is available again",
    ]


def test_a_watched_block_raises_other_errors() -> None:
    with pytest.raises(PermanentError), Outage().watched("loop"):
        raise PermanentError("refused")
