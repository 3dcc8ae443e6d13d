"""A program: copies a run in the store of a stopped service, under other trace ids.

Started as ``python -m tests.support.copied_runs DATA_DIR TRACE_ID COPIES``, because only one
process may open an embedded store. Building a run of 100,000 spans takes 17 s of CPU time, copying
it one. Rows that a materialized view makes from copied rows are not copied again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engine import open_engine
from tests.support.programs import run_program

from spanloom.storage.deletions.hiding import OF_TRACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clickhouse_connect.driver.client import Client

_COLUMNS = """
SELECT name FROM system.columns
WHERE database = currentDatabase() AND table = {table:String}
  AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') AND name != 'TraceId'
ORDER BY position
"""


def copy_run(data_dir: Path, trace_id: str, copies: int) -> Sequence[str]:
    """Run this program; return the trace ids of the copies."""
    arguments = str(data_dir), trace_id, str(copies)
    made: list[str] = run_program("tests.support.copied_runs", *arguments, timeout_s=1200)
    return made


def main() -> None:
    """Copy the run."""
    data_dir, trace_id, copies = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open_engine(data_dir / "store") as db:
        for number in range(copies):
            for table in OF_TRACES:
                _copy(db, table, trace_id, _copy_id(number))
    print(json.dumps(list(map(_copy_id, range(copies)))))


def _copy_id(number: int) -> str:
    return f"{0xC0 + number:032x}"


def _copy(db: Client, table: str, trace_id: str, copy: str) -> None:
    named = {"table": table, "trace": trace_id, "copy": copy}
    is_there = f"SELECT count() FROM {table} WHERE TraceId = {{copy:String}}"
    if db.query(is_there, parameters=named).result_rows[0][0]:
        return
    found = db.query(_COLUMNS, parameters=named).result_rows
    columns = ", ".join(f"`{name}`" for (name,) in found)
    db.command(
        f"INSERT INTO {table} (TraceId, {columns}) SELECT {{copy:String}}, {columns}"
        f" FROM {table} WHERE TraceId = {{trace:String}}",
        parameters=named,
    )


if __name__ == "__main__":
    main()
