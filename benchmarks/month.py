"""Makes a store with a month of runs, and a table of their steps as rows, for the queries."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engine import open_engine, wait_for_merges
from benchmarks.runs import Runs
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

WRITTEN_AT_ONCE = 1_000
"""Runs in one write, like those of a busy extractor."""
_TABLE = Path(__file__).with_name("step_rows.sql")
_SLICES = 9
_SAME = (
    "Project, TraceId, StepId, Version, AgentId, ParentId, Type, Name, StartTimeUnixNano,"
    " DurationNs, EndTimeUnixNano, Model, InputTokens, OutputTokens,"
    " HasError, ErrorCode, ErrorMessage"
)
_ROWS = f"""
INSERT INTO steps (Seq, {_SAME})
SELECT 1, {_SAME}
FROM v_steps
WHERE toUnixTimestamp64Nano(StartTime) >= {{from:Int64}}
  AND toUnixTimestamp64Nano(StartTime) < {{until:Int64}}
"""


def fill_month(path: Path, count: int, quiet_s: float) -> int:
    """Store ``count`` runs, and their steps as rows; return the number of steps after merging."""
    steps = fill_runs(path, count, 0.0)
    with open_engine(path) as client:
        lay_out_rows(client, Runs.of(count))
        wait_for_merges(client, quiet_s)
    return steps


def fill_runs(path: Path, count: int, quiet_s: float) -> int:
    """Store ``count`` runs and wait for the merges; return the number of their steps."""
    url, steps = f"chdb://{path}", 0
    records = Runs.of(count).records()
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    with closing(open_store(url)) as store, open_engine(path) as client:
        while some := list(islice(records, WRITTEN_AT_ONCE)):
            store.trajectories.write(some)
            counts = (record.trajectory.step_counts for record in some)
            steps += sum(sum(count.values()) - count["other"] for count in counts)
        wait_for_merges(client, quiet_s)
    return steps


def lay_out_rows(client: Client, runs: Runs) -> None:
    """Store every step of the runs as a row of the table in ``step_rows.sql``."""
    client.command(_TABLE.read_text("utf-8"))
    ends = [runs.start_ns(runs.count * n // _SLICES) for n in range(_SLICES + 1)]
    for n in range(_SLICES):
        client.command(_ROWS, parameters={"from": ends[n], "until": ends[n + 1]})
