"""A store of an older release is laid out anew in place, killed on the way, and loses nothing."""

from __future__ import annotations

import gzip
import json
import signal
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import orjson
from tests.support import programs
from tests.support.extracting import World
from tests.support.memory_store import MemoryStore

from spanloom.storage.runs.calls import CALL_COLUMNS, call_rows
from spanloom.storage.runs.list_rows import list_row
from spanloom.storage.runs.rows import summary_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.ports.building import TrajectoryRecord

FIXTURES = Path(__file__).parents[1] / "fixtures"
SENT = (
    *("s04_handoff-oi", "k2_dual-both", "s24_retry-ls"),
    *("s12_async-tl", "h1_adk-native", "s06_toolraise-oi"),
)
"""What the older release was sent; see ``fixtures/stores``."""
AT_ONCE = 2
KILLED = f"""
import os, signal, sys
from spanloom.storage.engine.connect import open_upkeep
from spanloom.storage.upkeep import layout

layout.MOST_RUNS = {AT_ONCE}
upkeep = open_upkeep(sys.argv[1])
upkeep.migrate()
upkeep.lay_out()
os.kill(os.getpid(), signal.SIGKILL)
"""
READ = """
import sys
from spanloom.core.model.tenancy import Reach
from spanloom.core.query.fields import TrajectoryFilter
from spanloom.storage.engine.connect import open_store

store = open_store(sys.argv[1])
print(len(store.list(Reach.ALL, TrajectoryFilter(), 100)), int(store.is_laid_out()))
for table in sys.argv[2:]:
    rows = store._worker._client.raw_query(f"SELECT * FROM {table}", fmt="JSONEachRow")
    print("[" + rows.decode().strip().replace("\\n", ",") + "]")
"""
OF_ITS_TIME = {"IsKept", "Seq", "Version", "UpdatedAt", "StartTime", "ExtractorVersion"}
"""What tells when, how often and by which rules a run was built; and what the store works out."""


def url(data: Path) -> str:
    return f"chdb://{data}/store"


def read(data: Path, *tables: str) -> tuple[list[int], *tuple[Any, ...]]:
    ended = programs.run("-c", READ, url(data), *tables)
    assert ended.returncode == 0, ended.stderr
    counts, *rows = ended.stdout.splitlines()
    return [int(count) for count in counts.split()], *map(json.loads, rows)


def built_now() -> Sequence[TrajectoryRecord]:
    """Return what the present release makes of what the older one was sent."""
    world = World(MemoryStore())
    for name in SENT:
        world.send_message(gzip.decompress((FIXTURES / f"recorded/{name}.otlp.gz").read_bytes()))
    world.step(100)
    world.step(100)
    assert isinstance(world.store, MemoryStore)
    return list(world.store._records.values())


def in_list(record: TrajectoryRecord) -> dict[str, object]:
    return dict(list_row(record, summary_row(record)))


def told(rows: Iterable[Mapping[str, object]]) -> list[dict[str, Any]]:
    """Return rows in one order, as JSON has them, without what tells when they were built."""
    plain = orjson.loads(orjson.dumps(list(rows)))
    shown = [{k: v for k, v in row.items() if k not in OF_ITS_TIME} for row in plain]
    for row in shown:
        row.update({"Steps.Attributes": list(map(sorted, row.get("Steps.Attributes", [])))})
    return sorted(shown, key=lambda row: [row["TraceId"], row.get("CallKey"), row.get("StepId")])


def test_old_runs_stand_as_if_this_release_had_built_them(tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "stores/schema-0026.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    killed = programs.run("-c", KILLED, url(tmp_path))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    records = built_now()
    halfway, rows = read(tmp_path, "trajectory_list")
    assert halfway == [
        len(records) - sum(r.trajectory.duplicate_of is not None for r in records),
        0,
    ]
    assert sum(row["HasArrays"] for row in rows) == 2 * AT_ONCE
    ended = programs.run("-m", "spanloom", "migrate", f"--data-dir={tmp_path}")
    assert ended.returncode == 0, ended.stderr
    after, rows, calls, steps = read(
        tmp_path, "trajectory_list FINAL", "call_index FINAL", "v_steps"
    )
    assert after == [halfway[0], 1]
    for row, expected in zip(told(rows), told(map(in_list, records)), strict=True):
        assert row == expected
    now = (row for r in records for row in call_rows(0, 0, r.calls))
    assert told(calls) == told(dict(zip(CALL_COLUMNS, row, strict=True)) for row in now)
    assert {(s["TraceId"], s["StepId"]) for s in steps} == {
        (r.key.trace_id, f"{number:016x}")
        for r in records
        for number in cast("Sequence[int]", in_list(r)["Steps.Id"])
    }
