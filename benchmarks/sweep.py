"""The cost of looking for changes, by the amounts of stored and of changed traces."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.engine import open_engine
from benchmarks.report import Row, at_most
from spanloom.extractor.discovery import Discovery
from spanloom.extractor.readiness import NS, Moment, Timing
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from benchmarks.scale import Scale

MAX_RATIO = 3.0
_SWEEPS = 20
_RECENT = 2_000
"""Traces of the last ten minutes; all others are older, one every two seconds."""

SETTLED = """
INSERT INTO trace_changes (Project, TraceId, Seq, AcceptedAt, HasRoot, Spans, InsertedAt)
SELECT 'default', lower(hex(MD5(toString(number)))) AS trace,
       toUnixTimestamp64Micro(at), at, true, 50, at
FROM (
    SELECT number, toDateTime64(now() - if(number < {recent:UInt32}, number * 600 / {recent:UInt32},
                                           1200 + 2 * number), 6) AS at
    FROM numbers({traces:UInt64})
)
"""
REQUESTS = """
INSERT INTO trace_requests (Project, TraceId, Seq, Spans, AcceptedAt)
SELECT Project, TraceId, Seq, Spans, AcceptedAt
FROM trace_changes
"""
PROGRESS = """
INSERT INTO extraction_progress (Project, TraceId, Seq, Status, Arrived, Requests, Digest, IsWhole)
SELECT Project, TraceId, max(Seq), 'settled', sum(Spans), count(),
       sum(cityHash64(Seq, IsEvents, Mark)), true
FROM trace_requests
GROUP BY Project, TraceId
"""
WATERMARK = "INSERT INTO extraction_watermark (Second) SELECT toUnixTimestamp(now())"


class Swept(NamedTuple):
    """CPU-seconds of a first scan after a start, and of one sweep."""

    beginning_s: float
    sweep_s: float


def measure_sweep(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for a sweep (one a minute) and one for the first scan after a start."""
    few, many = (run_apart(sweep_over, folder / f"{n}", n) for n in scale.settled_traces)
    few_traces, many_traces = scale.settled_traces
    for what, costs in (
        ("sweep", (few.sweep_s, many.sweep_s)),
        ("new beginning", (few.beginning_s, many.beginning_s)),
    ):
        yield Row(
            f"{what} over {many_traces:,} settled traces: CPU time ÷ that over {few_traces:,}",
            costs[1] / costs[0],
            at_most(MAX_RATIO),
            f"{costs[1] * 1000:.1f} ms and {costs[0] * 1000:.1f} ms of CPU time; "
            f"{_RECENT:,} traces of the last ten minutes in both",
        )


def sweep_over(store_path: Path, traces: int) -> Swept:
    """Fill the narrow tables with settled traces, then look for changes as the extractor does."""
    url = f"chdb://{store_path}"
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    store = open_store(url)
    with open_engine(store_path) as client:
        _fill(client, traces)
    timing, now_ns = Timing(), time.time_ns()
    start = Usage.now()
    discovery = Discovery(store.progress, timing)
    discovery.look(Moment(now_ns))
    beginning = Usage.now().since(start).cpu_s
    start = Usage.now()
    for n in range(1, _SWEEPS + 1):
        discovery.look(Moment(now_ns + int(n * timing.sweep_s * NS)))
    sweep = Usage.now().since(start).cpu_s / _SWEEPS
    if len(discovery):
        raise RuntimeError(f"{len(discovery)} settled traces were found to be unextracted")
    store.close()
    return Swept(beginning, sweep)


def _fill(client: Client, traces: int) -> None:
    client.command(SETTLED, parameters={"traces": traces, "recent": _RECENT})
    for statement in (REQUESTS, PROGRESS, WATERMARK):
        client.command(statement)
    for table in ("trace_changes", "extraction_progress", "trace_requests"):
        client.command(f"OPTIMIZE TABLE {table} FINAL")
