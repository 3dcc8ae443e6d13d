"""Runs of a sender whose clock is ahead are listed by their arrival, and record the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.extracting import T0_NS, World
from tests.support.otlp_requests import wire_span

from spanloom.core.model.access import Reach
from spanloom.core.model.clocks import AHEAD_NS, ahead_ns, listed_start_ns

if TYPE_CHECKING:
    from collections.abc import Sequence

HOUR_NS = 3_600 * 10**9
US = 1_000


@pytest.mark.parametrize(
    ("start_ns", "seq", "ahead"),
    [
        (T0_NS + 3 * HOUR_NS, T0_NS // US, 3 * HOUR_NS),
        (T0_NS + AHEAD_NS, T0_NS // US, 0),
        (T0_NS - HOUR_NS, T0_NS // US, 0),
        (T0_NS, 0, 0),  # no span could be read
        (T0_NS, 7, 0),  # the service's clock is not set
    ],
)
def test_only_a_start_after_the_arrival_moves(start_ns: int, seq: int, ahead: int) -> None:
    assert ahead_ns(start_ns, seq) == ahead
    assert listed_start_ns(start_ns, seq) == start_ns - ahead


def listed(world: World) -> Sequence[str]:
    return [line.run.trace_id for line in world.store.runs.list(Reach.ALL, None, 10)]


def test_a_clock_three_hours_ahead_does_not_lead_the_list() -> None:
    world = World()
    fast, right = f"{1:032x}", f"{2:032x}"
    for trace_id, ahead in ((fast, 3 * HOUR_NS), (right, 0)):
        world.send(wire_span(trace_id, 1, start_ns=world.now_ns + ahead))
        world.step(100)
    assert listed(world) == [right, fast]
    for trace_id, is_ahead in ((fast, True), (right, False)):
        document = world.store.documents.get(trace_id, Reach.ALL)
        assert document is not None
        warnings = orjson.loads(document)["extraction"]["warnings"]
        assert any("3.0 h after it arrived" in text for text in warnings) is is_ahead
