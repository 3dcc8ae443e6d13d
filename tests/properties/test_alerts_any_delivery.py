"""Alerts end in the state that the last versions of the runs imply, in any order of spans.

Firings that turn out to be wrong are withdrawn, each with its reason.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support.extracting import T0_NS, World
from tests.support.otlp_requests import wire_span

from spanloom.alerts.condition import RunCondition
from spanloom.alerts.definition import AlertDefinition
from spanloom.alerts.service import FOLLOWER, Alerts
from spanloom.alerts.watcher import AlertWatcher
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import AlertState
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.alerts import EventsQuery
from spanloom.following.follower import FeedFollower

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

    from spanloom.core.model.alert import AlertEvent

PROJECT = "default"
LINES = {
    "unverified": 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")',
    "refunds": 'has(tool = "refund")',
    "few": "count(type = tool) < 3",
    "at once": 'has(tool = "search" next tool = "refund")',
    "twice": 'count(tool = "refund") >= 2 or has(tool = "search" then tool = "search")',
    "by nobody": 'has(type = tool and not owner = "planner")',
}
LASTING = {"refunds", "twice"}
TOOLS = ("search", "verify", "refund")
MS = 1_000_000


class KilledError(Exception):
    """The process ended after it stored events and before it stored its position in the feed."""


class DyingFollower(FeedFollower):
    """A follower that raises instead of storing its position, if ``dies`` is set."""

    dies = False

    def keep(self) -> None:
        if self.dies:
            raise KilledError
        super().keep()


class Run(NamedTuple):
    trace_id: str
    spans: Sequence[WireSpan]


def make_run(random_: random.Random, number: int) -> Run:
    """Return a run of up to seven tools in any order, sometimes without its root."""
    trace_id = f"{number + 1:032x}"
    tools = [random_.choice(TOOLS) for _ in range(random_.randint(0, 7))]
    spans = [_span(trace_id, at, 1, "execute_tool", tool) for at, tool in enumerate(tools, 2)]
    if random_.random() < 0.85 or not tools:
        spans.append(_span(trace_id, 1, 0, "invoke_agent", "planner"))
    return Run(trace_id, spans)


def _span(trace_id: str, number: int, parent: int, operation: str, name: str) -> WireSpan:
    of = "tool" if parent else "agent"
    attributes = {"gen_ai.operation.name": operation, f"gen_ai.{of}.name": name}
    span = wire_span(trace_id, number, parent, f"{operation} {name}", T0_NS, attributes)
    span.start_time_unix_nano += number * 10 * MS
    span.end_time_unix_nano = span.start_time_unix_nano + (5 if parent else 1_000) * MS
    return span


class Watched:
    """A simulated service whose alert watcher may be killed and restarted."""

    def __init__(self) -> None:
        self.world = World()
        alerts = Alerts(self.world.store, clock_ns=lambda: self.world.now_ns)
        for name, line in LINES.items():
            alerts.put(PROJECT, name, AlertDefinition.model_validate({"where": line}), "")
        self.begin()

    def begin(self) -> None:
        """Start an alert watcher."""
        store = self.world.store
        self.follower = DyingFollower(store.feed, store.followers, FOLLOWER)
        self.watcher = AlertWatcher(
            store, self.follower, self.world.metrics, clock_ns=lambda: self.world.now_ns
        )

    def look(self, *, dies: bool = False) -> None:
        """Build due runs and run the alert watcher; if it dies, run another one."""
        self.world.step()
        self.follower.dies = dies
        try:
            self.watcher.run_once()
        except KilledError:
            self.begin()
            self.watcher.run_once()
        self.follower.dies = False

    def deliver(self, runs: Sequence[Run], random_: random.Random) -> None:
        """Send all spans in any order, in requests of any size, with pauses in between."""
        left = [span for run in runs for span in run.spans]
        random_.shuffle(left)
        while left:
            count = random_.choice((1, 2, 5, 20, 60))
            some, left = left[:count], left[count:]
            self.world.send(*some)
            self.world.wait(random_.choice((0.1, 0.4, 1, 1, 3, 70)))
            self.look(dies=random_.random() < 0.1)
        for seconds in (1, 5, 70, 70, 5):
            self.world.wait(seconds)
            self.look()

    def events(self, name: str) -> dict[str, list[AlertEvent]]:
        """Return the events of an alert by trace, oldest first."""
        found: dict[str, list[AlertEvent]] = {}
        listed = self.world.store.alerts.events(PROJECT, name, EventsQuery(), 100_000, None)
        for event in reversed(listed):
            found.setdefault(event.trace_id, []).append(event)
        return found

    def meet(self, name: str, runs: Sequence[Run]) -> set[str]:
        """Return the runs whose last version meets an alert's condition, by the list query."""
        keys = [TraceKey(PROJECT, run.trace_id) for run in runs]
        where = RunCondition(LINES[name]).at(self.world.now_ns)
        found = self.world.store.runs.matching_among(keys, Reach.ALL, where)
        settled = {t for t in (r.trace_id for r in runs) if self.world.said(t)[1] == "settled"}
        return {k.trace_id for k in found if name in LASTING or k.trace_id in settled}


def check(watched: Watched, runs: Sequence[Run]) -> Iterator[AlertEvent]:
    """Assert that the alerts agree with the final runs; yield the events of withdrawals."""
    for name in LINES:
        events = watched.events(name)
        firing = {trace for trace, own in events.items() if own[-1].is_firing}
        assert firing == watched.meet(name, runs), name
        for own in events.values():
            assert len({event.id for event in own}) == 1
            assert [event.number for event in own] == list(range(1, len(own) + 1))
            states = [event.state for event in own]
            assert all(one is not other for one, other in pairwise(states))
            for before, event in pairwise(own):
                if event.state is AlertState.WITHDRAWN:
                    assert event.reason["version"] == event.version > before.version
                    yield event


def deliver_all(times: int, count: int) -> None:
    """Deliver the same ``count`` runs in ``times`` random orders, and check the alerts."""
    runs = [make_run(random.Random(number), number) for number in range(count)]
    taken_back = 0
    for seed in range(times):
        watched = Watched()
        watched.deliver(runs, random.Random(seed))
        taken = list(check(watched, runs))
        assert all(event.reason["late_spans"] for event in taken)
        taken_back += len(taken)
    assert taken_back, "nothing was taken back: the orders are too tame"


def test_alerts_end_as_the_last_versions_say() -> None:
    deliver_all(times=2, count=12)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_alerts_end_so_after_a_thousand_deliveries() -> None:
    deliver_all(times=1_000, count=50)
