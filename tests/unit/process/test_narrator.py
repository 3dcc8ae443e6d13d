"""A service logs accepted spans once a minute, and refused ones at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from spanloom.metrics import Metrics
from spanloom.process.narrator import SUMMARY_S, Narrator

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


def said(do: Callable[[], None]) -> list[dict[str, Any]]:
    with capture_logs() as lines:
        do()
    return [dict(line) for line in lines]


def test_a_minute_in_which_spans_came_is_summed_up(metrics: Metrics, clock: Clock) -> None:
    metrics.spans_accepted.inc(5)
    narrator = Narrator(metrics, clock)
    metrics.spans_accepted.inc(40)
    metrics.extractions.labels("written").inc(3)
    assert said(narrator.look) == [], "not yet a minute"
    clock.now += SUMMARY_S
    [line] = said(narrator.look)
    assert (line["log_level"], line["spans"], line["runs"]) == ("info", 40, 3)
    clock.now += SUMMARY_S
    assert said(narrator.look) == [], "nothing came"


def test_a_first_minute_without_spans_is_told_once(metrics: Metrics, clock: Clock) -> None:
    narrator = Narrator(metrics, clock)
    assert said(narrator.look) == []
    clock.now += SUMMARY_S
    [line] = said(narrator.look)
    assert (line["event"], "spanloom doctor" in line["todo"]) == ("no spans have come yet", True)
    clock.now += SUMMARY_S
    assert said(narrator.look) == []


def test_refused_spans_are_told_at_once_and_then_once_a_minute(
    metrics: Metrics, clock: Clock
) -> None:
    narrator = Narrator(metrics, clock)
    metrics.spans_rejected.labels(rule="trace_id").inc(2)
    [first] = said(narrator.look)
    assert (first["log_level"], first["rule"], first["spans"]) == ("warning", "trace_id", 2)
    metrics.spans_rejected.labels(rule="trace_id").inc(7)
    assert said(narrator.look) == []
    metrics.spans_rejected.labels(rule="span_id").inc()
    assert [line["rule"] for line in said(narrator.look)] == ["span_id"], "another rule's"
    clock.now += SUMMARY_S
    again, _ = said(narrator.look)
    assert (again["rule"], again["spans"]) == ("trace_id", 7)
