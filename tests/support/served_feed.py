"""The API on a port, over a store that the test changes."""

from __future__ import annotations

from tests.support.access import Locks
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import START_NS
from tests.support.trajectory_lists import trace
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.api.app import create_app
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.ports.feed import Announcement
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind

CHANGES = "/v1/trajectories/changes"


class ServedFeed:
    """The real API over an in-memory store, which can be stopped and started again."""

    def __init__(self, store: MemoryStore | None = None, port: int = 0) -> None:
        self.store, self.metrics = store or MemoryStore(), Metrics()
        app = create_app(self.store, self.metrics, Locks().access, most_readers=3)
        listener = bind("127.0.0.1", port, "--api-port")
        end_waits = app.state.services.feed.stop
        self.server = HttpServer(app, listener, "api", None, end_waits)
        self.url = f"http://127.0.0.1:{self.server.port}"
        self.server.start()

    def say(
        self,
        *numbers: int,
        version: int = 1,
        status: Status = Status.SETTLED,
        project: str = "p",
        agent: str = "planner",
    ) -> None:
        """Store a version of runs and announce it."""
        keys = [TraceKey(project, trace(number)) for number in numbers]
        runs = [make_trajectory(key, agent=agent) for key in keys]
        self.store.trajectories.write(
            [
                make_record(key, run, version=version, status=status)
                for key, run in zip(keys, runs, strict=True)
            ]
        )
        self.store.feed.announce([Announcement(key, version, status, START_NS) for key in keys])

    def readers(self) -> float:
        """Return the number of readers in the metrics."""
        text = self.metrics.render().decode()
        (line,) = (x for x in text.splitlines() if x.startswith("spanloom_feed_readers "))
        return float(line.split()[1])

    def again(self) -> ServedFeed:
        """Stop, and start again with fresh state on the same store and port."""
        self.server.stop(1)
        return ServedFeed(self.store, self.server.port)
