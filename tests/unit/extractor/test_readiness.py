"""Tables of cases show when a trace is built, and with which status."""

from __future__ import annotations

import pytest
from tests.support.extracting import T0_NS, key_of

from spanloom.core.model.trajectory import Status
from spanloom.extractor.readiness import (
    MAX_ATTEMPTS,
    NS,
    PendingTrace,
    Timing,
    next_status,
    retry_delay_s,
)

LIVE, SETTLED, PARTIAL, FAILED = Status.LIVE, Status.SETTLED, Status.PARTIAL, Status.FAILED
TIMING = Timing()


def at(
    now_s: float,
    *,
    first_s: float = 0,
    last_s: float = 0,
    has_root: bool = True,
    root_s: float = 0,
    spans: int = 1,
    live_builds: int = 0,
    built_s: float | None = None,
    built_spans: int = 0,
    attempts: int = 0,
    retry_s: float | None = None,
    timing: Timing = TIMING,
) -> Status | None:
    """Return the status of a build at ``now_s``, or None; all in seconds since the first span."""
    trace = PendingTrace(
        key_of(),
        set(),
        ns(first_s),
        ns(last_s),
        has_root,
        ns(root_s),
        span_count=spans,
        live_builds=live_builds,
        built_ns=0 if built_s is None else ns(built_s),
        built_spans=built_spans,
        attempts=attempts,
        retry_ns=0 if retry_s is None else ns(retry_s),
    )
    return next_status(trace, ns(now_s), timing)


def ns(seconds: float) -> int:
    return T0_NS + int(seconds * NS)


@pytest.mark.parametrize(
    ("now_s", "last_s", "has_root", "status"),
    [
        (0, 0, True, None),
        (0.499, 0, True, None),
        (0.5, 0, True, SETTLED),
        (0.9, 0.8, True, None),  # the root has just arrived
        (1.0, 0.8, True, LIVE),
        (9.5, 8.5, True, SETTLED),
        (0.5, 0, False, None),
        (0.9, 0, False, None),
        (1.0, 0, False, LIVE),
        (59.9, 0, False, LIVE),
        (60, 0, False, PARTIAL),
        (3600, 0, False, PARTIAL),
        (30, 29.9, True, LIVE),
        (3600, 0, True, SETTLED),
    ],
)
def test_quiet_and_root_decide(
    now_s: float, last_s: float, *, has_root: bool, status: Status | None
) -> None:
    assert at(now_s, last_s=last_s, has_root=has_root) is status


@pytest.mark.parametrize(
    ("live_builds", "wait_s"),
    [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (5000, 30)],
)
def test_a_growing_trace_is_built_ever_more_rarely(live_builds: int, wait_s: float) -> None:
    built_s = 100 if live_builds else None
    due_s = (built_s or 0) + wait_s

    def growing(now_s: float) -> Status | None:
        grown = {"last_s": now_s, "has_root": False, "live_builds": live_builds}
        return at(now_s, built_s=built_s, **grown)  # type: ignore[arg-type]  # passed by name

    assert growing(due_s - 0.001) is None
    assert growing(due_s) is LIVE


@pytest.mark.parametrize(
    ("spans", "now_s", "status"),
    [
        (101, 1030, None),
        (124, 1030, None),
        (125, 1030, LIVE),  # a quarter larger
        (125, 1029, None),
        (101, 1249, None),
        (101, 1250, LIVE),  # a quarter older
        (100, 9000, None),  # nothing new
    ],
)
def test_a_growing_trace_is_built_again_when_it_has_grown_by_a_quarter(
    spans: int, now_s: float, status: Status | None
) -> None:
    built = {"built_s": 1000.0, "live_builds": 9, "built_spans": 100, "last_s": now_s}
    assert at(now_s, spans=spans, has_root=False, **built) is status  # type: ignore[arg-type]  # passed by name


@pytest.mark.parametrize(
    ("spans", "wait_s"), [(1, 1), (2_500, 1), (10_000, 4), (50_000, 20), (75_000, 30), (10**6, 30)]
)
def test_a_large_trace_waits_longer_while_it_grows(spans: int, wait_s: float) -> None:
    """At 100 µs per span, building takes at most a fifth of the time, except for huge traces."""

    def growing(now_s: float) -> Status | None:
        return at(now_s, last_s=now_s, has_root=False, spans=spans)

    assert growing(wait_s - 0.001) is None
    assert growing(wait_s) is LIVE


def test_a_large_trace_settles_as_soon_as_a_small_one() -> None:
    assert at(5.4, last_s=5, root_s=5, spans=100_000) is None
    assert at(5.5, last_s=5, root_s=5, spans=100_000) is SETTLED


def test_a_run_is_not_shown_once_more_right_before_it_settles() -> None:
    grown = {"root_s": 10.0, "last_s": 10.0, "spans": 9, "live_builds": 1, "built_s": 1.5}
    assert at(10.4, **grown) is None  # type: ignore[arg-type]  # passed by name
    assert at(10.5, **grown) is SETTLED  # type: ignore[arg-type]  # passed by name


def test_quiet_ends_the_growing() -> None:
    assert at(1061, last_s=1060, live_builds=5, built_s=1000) is SETTLED
    assert at(1120, last_s=1060, live_builds=5, built_s=1000, has_root=False) is PARTIAL


def test_after_a_failure_nothing_happens_until_the_retry() -> None:
    assert at(100, attempts=1, retry_s=100.001) is None
    assert at(100, attempts=1, retry_s=100) is SETTLED
    assert at(100, attempts=1, retry_s=100, has_root=False) is PARTIAL


def test_the_last_attempt_waits_for_nothing_but_its_time() -> None:
    last = MAX_ATTEMPTS - 1
    assert at(0, attempts=last) is FAILED
    assert at(100, last_s=100, attempts=last, retry_s=100) is FAILED
    assert at(99, attempts=last, retry_s=100) is None
    assert at(0, attempts=last - 1) is None


def test_times_can_be_chosen() -> None:
    timing = Timing(root_quiet_s=0, no_root_quiet_s=2, growing_first_s=1, growing_max_s=1.5)
    assert at(0, timing=timing) is SETTLED
    assert at(2, has_root=False, timing=timing) is PARTIAL
    assert at(1, last_s=1, has_root=False, timing=timing) is LIVE
    grown = {"last_s": 11.5, "live_builds": 1, "built_s": 10.0, "timing": timing}
    assert at(11.5, has_root=False, **grown) is LIVE  # type: ignore[arg-type]  # passed by name
    assert at(11.4, has_root=False, **grown) is None  # type: ignore[arg-type]  # passed by name


def test_retries_wait_a_minute_then_twice_as_long_up_to_an_hour() -> None:
    waits = [retry_delay_s(n) for n in (0, 1, 2, 3, 4, 7, 5000)]
    assert waits == [60, 60, 120, 240, 480, 3600, 3600]
