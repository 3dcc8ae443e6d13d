"""Online rules over an in-memory store, with a clock that the test advances."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.annotations import ScoreQuery
from spanloom.core.ports.feed import Announcement
from spanloom.metrics import Metrics
from spanloom.online.current import CurrentRules
from spanloom.online.follower import OnlineFollower
from spanloom.online.service import OnlineRules
from spanloom.online.worker import OnlineWorker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.online_rule import RuleProgress
    from spanloom.core.model.score import Score

PROJECT = "travel"
CALLS = {"name": "calls", "kind": "rules", "rules": {"max_model_calls": 1}}
"""Judges the number of a run's model calls."""


def trace(number: int, project: str = PROJECT) -> TraceKey:
    return TraceKey(project, f"{number:032x}")


class Online:
    """A store with rules, a selector and a judge; nothing runs by itself."""

    def __init__(self, backoff_s: float = 30.0) -> None:
        self.now_ns = START_NS + 10**12
        self.store = MemoryStore()
        self.store.state.clock_ns = lambda: self.now_ns
        stores = self.store.online_rules, self.store.followers, self.store.feed
        self.rules = OnlineRules(*stores, lambda: self.now_ns)
        self.metrics = Metrics()
        self.restart(backoff_s)

    def restart(self, backoff_s: float = 30.0) -> None:
        """Start new components over the same store, as after a kill."""
        now = CurrentRules(self.store.online_rules, 0, 0)
        given: dict[str, Any] = {"clock_ns": lambda: self.now_ns}
        self.follower = OnlineFollower(self.store, now, self.metrics, **given)
        self.worker = OnlineWorker(self.store, now, self.metrics, backoff_s=backoff_s, **given)

    def put(self, name: str = "r1", *, project: str = PROJECT, **changes: Any) -> int:
        """Put a rule, by default one that judges all runs by ``CALLS``; return its version."""
        there = self.store.online_rules.list(Reach.only(project), name)
        given = changes if there and not there[0].is_deleted else {"evaluators": [CALLS], **changes}
        if "evaluators" in given:
            given["evaluators"] = orjson.dumps(given["evaluators"]).decode()
        return self.rules.put(project, name, given, "ada").rule.version

    def store_run(
        self,
        key: TraceKey,
        version: int = 1,
        *,
        calls: int = 1,
        status: Status = Status.SETTLED,
        extras: Mapping[str, object] | None = None,
        **more: Any,
    ) -> None:
        """Store a version of a run with this number of model calls."""
        steps = [model_step(number + 2) for number in range(calls)]
        made = make_trajectory(key, steps=steps, **more)
        made = replace(made, extras={**made.extras, **(extras or {})})
        record = make_record(key, made, version=version, status=status)
        document = encode_document(made, version, status)
        self.store.trajectories.write([replace(record, document=document)])

    def announce(self, key: TraceKey, version: int = 1, status: Status = Status.SETTLED) -> None:
        self.tick()
        self.store.feed.announce([Announcement(key, version, status, START_NS)])

    def send(self, key: TraceKey, version: int = 1, **more: Any) -> None:
        """Store a version of a run, and announce it."""
        self.store_run(key, version, **more)
        self.announce(key, version, more.get("status", Status.SETTLED))

    def tick(self, seconds: float = 0.001) -> None:
        self.now_ns += round(seconds * 10**9)

    def turn(self) -> None:
        """Select all announced runs, and judge all work that is due."""
        while self.follower.run_once():
            pass
        self.tick()
        while self.worker.run_once():
            self.tick()

    def scores(self, project: str = PROJECT) -> list[Score]:
        return list(self.store.scores.list(Reach.only(project), ScoreQuery(), 100_000))

    def judged(self, project: str = PROJECT) -> dict[str, list[object]]:
        """Return the values of the scores of each trace."""
        found: dict[str, list[object]] = {}
        for score in self.scores(project):
            found.setdefault(score.key.trace_id, []).append(score.number)
        return found

    def progress(self, name: str = "r1") -> RuleProgress:
        return self.rules.get(PROJECT, name).progress
