"""A program: fills the store of a stopped service with runs of one size.

Started as ``python -m tests.support.filled_store DATA_DIR RUNS BYTES``, because only one process
may open an embedded store. Each run has a model call with ``BYTES`` random bytes of input.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.support.programs import run_program
from tests.support.trajectory_records import make_record, make_trajectory, model_step

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.ports.trajectories import TrajectoryRecord

BATCH_BYTES = 32 << 20
HOUR_NS = 3600 * 10**9


def fill_store(data_dir: Path, runs: int, size: int) -> None:
    """Run this program."""
    run_program("tests.support.filled_store", str(data_dir), str(runs), str(size), timeout_s=1200)


def main() -> None:
    """Fill the store, and print the number of its runs."""
    data_dir, runs, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    data_dir.mkdir(parents=True, exist_ok=True)
    url = f"chdb://{data_dir.absolute() / 'store'}"
    with closing(open_upkeep(url)) as upkeep:
        upkeep.migrate()
    batch = max(1, min(5_000, BATCH_BYTES // (size + 1_000)))
    with closing(open_store(url)) as store:
        for first in range(1, runs + 1, batch):
            store.trajectories.write(list(_records(first, min(first + batch, runs + 1), size)))
    print(runs)


def _records(first: int, end: int, size: int) -> Iterator[TrajectoryRecord]:
    chance, start_ns = Random(first), time.time_ns() - HOUR_NS
    for number in range(first, end):
        key = TraceKey("default", f"{number:032x}")
        at_ns = start_ns + number * 1000
        text = chance.randbytes(size // 2).hex()
        run = make_trajectory(key, at_ns, [model_step(2, at_ns)._replace(input=text)])
        document = encode_document(run, 1, Status.SETTLED)
        yield replace(make_record(key, run), document=document)


if __name__ == "__main__":
    main()
