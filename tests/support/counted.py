"""A program: counts the contents of the embedded store of a stopped service, of any size.

Started as ``python -m tests.support.counted DATA_DIR``, because only one process may open an
embedded store.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import clickhouse_connect
from tests.support.programs import run_program

COUNTS = """
SELECT
    (SELECT uniqExact(TraceId, SpanId) FROM otel_traces),
    (SELECT uniqExact(TraceId) FROM trajectory_list),
    (SELECT max(parts) FROM (
        SELECT count() AS parts FROM system.parts
        WHERE active AND database = currentDatabase() GROUP BY table))
"""


class Counts(NamedTuple):
    """Numbers of stored rows and parts."""

    spans: int
    trajectories: int
    parts: int
    """Active parts of the table that has most."""


def count_stored(data_dir: Path) -> Counts:
    """Run this program."""
    return Counts(*run_program("tests.support.counted", str(data_dir), timeout_s=300))


def main() -> None:
    """Print the counts as a list."""
    path = Path(sys.argv[1]).absolute() / "store"
    client = clickhouse_connect.get_client(interface="chdb", path=str(path))
    print(json.dumps(client.query(COUNTS).result_rows[0]))


if __name__ == "__main__":
    main()
