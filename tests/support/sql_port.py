"""The SQL port over an embedded store, on a port of its own, with in-memory keys."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
from tests.support.access import Locks

from spanloom.access.headers import Hosts
from spanloom.metrics import Metrics
from spanloom.process.serving import HttpServer, bind
from spanloom.sql.door import SqlDoor
from spanloom.sql.reader import Reader
from spanloom.sql.settings import SqlLimits
from spanloom.sql.sight import nothing_withheld
from spanloom.storage.sql import EmbeddedSql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanloom.sql.sight import Withheld

LIMITS = SqlLimits(time_s=5, memory_bytes=256 << 20)


@dataclass
class SqlPort:
    """A running port."""

    url: str
    locks: Locks
    metrics: Metrics
    http: httpx.Client
    taken: Callable[[], int] = lambda: 0
    """Returns the number of running and waiting statements."""

    def ask(self, text: str, key: str = "", **arguments: str) -> httpx.Response:
        """Send a statement in the body."""
        headers = {"X-ClickHouse-Key": key} if key else {}
        return self.http.post(self.url, content=text.encode(), params=arguments, headers=headers)

    def said(self, text: str, key: str = "", **arguments: str) -> str:
        """Send a statement that must succeed; return its response."""
        answer = self.ask(text, key, **arguments)
        assert answer.status_code == 200, answer.text
        return answer.text


@contextmanager
def open_port(
    path: Path,
    limits: SqlLimits = LIMITS,
    *,
    is_open: bool = True,
    at_a_time: int = 2,
    withheld: Withheld = nothing_withheld,
) -> Iterator[SqlPort]:
    """Serve the open store at this path."""
    locks, metrics = Locks(is_open=is_open), Metrics()
    engine = EmbeddedSql(path)
    door = SqlDoor(
        Reader(engine, limits, withheld),
        locks.access.authenticator,
        Hosts(),
        metrics,
        at_a_time=at_a_time,
    )
    server = HttpServer(door, bind("127.0.0.1", 0, "--sql-port"), "sql", None, door.end)
    server.start()
    try:
        with httpx.Client(timeout=30) as http:
            url = f"http://127.0.0.1:{server.port}/"
            yield SqlPort(url, locks, metrics, http, lambda: _taken(door))
    finally:
        server.stop(10)
        engine.close()


def _taken(door: SqlDoor) -> int:
    runner = door._runner
    return len(runner._by_id) if runner else 0
