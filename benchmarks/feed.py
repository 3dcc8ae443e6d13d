"""The cost of following the change feed while nothing changes, by the length of the feed."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.engine import open_engine
from benchmarks.report import Row, at_most
from spanloom.core.model.access import Reach
from spanloom.core.query.positions import Position
from spanloom.storage.deletions.hiding import DeletedRows
from spanloom.storage.store import compose, open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale
    from spanloom.storage.feed.store import ClickHouseFeed

MAX_CPU_MS = 5.0
_POLLS = 100
_NEW = 213
_STEP_US = 50_000
"""Microseconds between trajectories (twenty a second); the newest is ten minutes old."""
_PARTS = 10
FILL = """
INSERT INTO trajectory_changes
    (ChangedAt, Project, TraceId, Version, Status, StartTimeUnixNano, IsSaid)
SELECT now64(6) - toIntervalSecond(600)
           - toIntervalMicrosecond(({count:UInt64} - 1 - number) * {step:UInt64}),
       'p' || toString(number % 24), lower(hex(MD5(toString(number)))), 1, 'settled', number,
       false
FROM numbers({first:UInt64}, {rows:UInt64})
"""


class Polled(NamedTuple):
    """CPU-milliseconds of one poll."""

    alone_ms: float
    shared_ms: float
    new_ms: float
    """CPU-milliseconds of a poll that finds ``_NEW`` announcements."""


def measure_feed(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for the embedded store, and one for a store that other processes write to."""
    cost = run_apart(poll, folder / "feed", scale.announcements)
    for what, cpu_ms in (("one process", cost.alone_ms), ("several processes", cost.shared_ms)):
        yield Row(
            f"idle poll of the change feed, {scale.announcements:,} kept, {what}: CPU time",
            cpu_ms,
            at_most(MAX_CPU_MS, "ms"),
            f"mean of {_POLLS} polls; one that finds {_NEW}: {cost.new_ms:.1f} ms",
        )


def poll(store_path: Path, count: int) -> Polled:
    """Fill the feed, then poll it as the API does."""
    url = f"chdb://{store_path}"
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    with open_engine(store_path) as client:
        rows = count // _PARTS
        for part in range(_PARTS):
            sizes = {"count": count, "first": part * rows, "rows": rows, "step": _STEP_US}
            client.command(FILL, parameters=sizes)
    store = open_store(url)
    shared = compose(store.connections, DeletedRows(has_deletions=False)).feed  # as on a server
    end = store.feed.announced(Reach.ALL, None, None, 1000).next
    before = Position(end.until_us - _NEW * _STEP_US)
    found = shared.announced(Reach.ALL, None, before, 1000).announcements
    if len(found) not in (_NEW, _NEW + 1):
        raise RuntimeError(f"{len(found)} announcements in place of {_NEW}")
    result = Polled(
        *(_mean_ms(f, at) for f, at in ((store.feed, end), (shared, end), (shared, before)))
    )
    store.close()
    return result


def _mean_ms(feed: ClickHouseFeed, at: Position) -> float:
    start = Usage.now()
    for _ in range(_POLLS):
        feed.announced(Reach.ALL, None, at, 1000)
    return Usage.now().since(start).cpu_s * 1000 / _POLLS
