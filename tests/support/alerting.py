"""Evaluates alerts over an in-memory store, with a clock and runs that a test controls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support.memory_store import MemoryStore
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.alerts.definition import AlertDefinition
from spanloom.alerts.service import FOLLOWER, Alerts
from spanloom.alerts.watcher import AlertWatcher
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey
from spanloom.core.model.step import StepType
from spanloom.core.model.trajectory import DuplicateOf, Status
from spanloom.core.ports.alerts import EventsQuery
from spanloom.core.ports.feed import Announcement
from spanloom.core.ports.spans import Read
from spanloom.following.follower import FeedFollower
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from spanloom.core.model.alert import AlertEvent

T0_NS = 1_900_000_000 * 10**9
PROJECT = "shop"
UNVERIFIED = 'has(tool = "refund") and not has(tool = "verify" then tool = "refund")'
HOOK = {"kind": "webhook", "url": "https://hooks.example.com/agents"}


class Alerting:
    """Builds runs of tools, evaluates alerts on them, and lists the events."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.now_ns = T0_NS
        self.store.state.clock_ns = lambda: self.now_ns
        self.metrics = Metrics()
        self.told = 0
        self.alerts = Alerts(self.store, allows_private=True, clock_ns=lambda: self.now_ns)
        self.begin()

    def begin(self) -> None:
        """Start a process that evaluates alerts."""
        self.watcher = AlertWatcher(
            self.store,
            FeedFollower(self.store.feed, self.store.followers, FOLLOWER),
            self.metrics,
            notify=self._tell,
            clock_ns=lambda: self.now_ns,
        )

    def _tell(self) -> None:
        self.told += 1

    def put(self, name: str, **members: Any) -> None:
        """Store an alert with a webhook as its channel."""
        wanted = AlertDefinition.model_validate({"channels": [HOOK], **members})
        self.alerts.put(PROJECT, name, wanted, "")

    def build(
        self,
        trace: str,
        *tools: str,
        version: int = 1,
        status: Status = Status.SETTLED,
        repeats: str = "",
        error: str = "",
        agent: str = "planner",
    ) -> TraceKey:
        """Store a version of a run that calls these tools in order."""
        key = TraceKey(PROJECT, trace.rjust(32, "0"))
        names = sorted(set(tools))
        steps = [tool_step(names.index(tool) + 2, at, tool, error) for at, tool in enumerate(tools)]
        original = DuplicateOf(repeats.rjust(32, "0"), "0" * 16) if repeats else None
        trajectory = make_trajectory(key, self.now_ns, steps, agent, original)
        counts = {**trajectory.step_counts, "model": 0, "tool": len(steps)}
        trajectory = replace(trajectory, step_counts=counts)
        document = encode_document(trajectory, version, status)
        self.now_ns += 1_000  # no two runs have the same position in the feed
        record = make_record(
            key, trajectory, self.now_ns // 1_000, version, status, read=Read(version, version)
        )
        self.store.trajectories.write([replace(record, document=document)])
        self.store.feed.announce([Announcement(key, version, status, self.now_ns)])
        return key

    def look(self, seconds: float = 1) -> int:
        """Advance the time and evaluate once; return the number of new events."""
        self.now_ns += int(seconds * 10**9)
        return self.watcher.run_once()

    def events(self, name: str) -> list[AlertEvent]:
        """Return the events of an alert, oldest first."""
        found = self.store.alerts.events(PROJECT, name, EventsQuery(), 1_000, None)
        return list(reversed(found))

    def states(self, name: str) -> list[str]:
        """Return the states of an alert's events, oldest first."""
        return [str(event.state) for event in self.events(name)]


def tool_step(number: int, at: int, tool: str, error: str) -> Any:  # a step
    """Return the step of a tool, the same in each version of a run."""
    step = model_step(number, T0_NS + at * 10**7, error)
    return step._replace(
        type=StepType.TOOL, name=tool, usage=None, model="", first_token_ms=None, input="{}"
    )
