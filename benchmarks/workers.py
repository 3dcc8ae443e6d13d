"""Extraction by worker processes: the gain of several cores, and the cost of each process.

The same stored spans are extracted in process and by workers, in turn. For the process that has the
store open, the time in its own Python code is shown separately; the time in the engine's driver
counts as the engine's.
"""

from __future__ import annotations

import os
import resource
import shutil
import time
from contextlib import closing, contextmanager
from multiprocessing.connection import wait
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from benchmarks.apart import Usage, run_apart
from benchmarks.captured import captured_requests
from benchmarks.filling import fill_store
from benchmarks.load import write_requests
from benchmarks.report import Row, at_least, at_most
from benchmarks.workload import SMALL, make_requests
from spanloom.config.settings import Settings
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.extractor.workers import pool
from spanloom.extractor.workers.pool import CHILD
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.metrics import Metrics
from spanloom.process.options import builder_of, default_workers
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.scale import Scale

MIN_FASTER = 1.3
"""Minimum speed-up on two cores; with one core there is no gain."""
MAX_SHARE = 0.5
MAX_OWN_US = 10.0


class Built(NamedTuple):
    """The cost of extracting all spans of a store."""

    spans: int
    wall_s: float
    main_s: float
    """CPU-seconds of the process that has the store open, its engine included."""
    own_s: float
    """CPU-seconds that this process spends in its own Python code."""
    workers_s: float
    """CPU-seconds of all workers, their start included."""
    worker_bytes: int
    """The highest peak memory of a worker."""
    busy_s: float
    """Seconds in which the process with the store did not wait for workers: more workers cannot
    reduce that time.
    """

    @property
    def rate(self) -> float:
        """Spans per second of wall-clock time."""
        return self.spans / self.wall_s

    @property
    def whole_s(self) -> float:
        """CPU-seconds of all processes."""
        return self.main_s + self.workers_s


def measure_workers(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield three rows for the synthetic runs and three for the captured ones."""
    workloads: dict[str, Iterable[bytes]] = {
        "synthetic runs": make_requests(SMALL, scale.extracted_spans),
        "captured runs": (r.SerializeToString() for r in captured_requests(scale.extracted_spans)),
    }
    count = default_workers(max(os.cpu_count() or 1, 2))
    for n, (what, requests) in enumerate(workloads.items()):
        write_requests(folder / "requests", list(requests))
        filled = folder / f"filled-{n}"
        run_apart(fill_store, filled, folder / "requests", scale.quiet_s)
        alone: list[Built] = []
        apart: list[Built] = []
        for repeat in range(scale.repeats):
            for runs, workers in ((alone, 0), (apart, count)):
                place = folder / f"workers-{n}-{repeat}-{workers}"
                shutil.copytree(filled, place, symlinks=True)
                runs.append(run_apart(build_all, place, workers))
        yield from _rows(what, count, alone, apart)


def _rows(what: str, count: int, alone: Sequence[Built], apart: Sequence[Built]) -> Iterator[Row]:
    faster = median(b.rate / a.rate for a, b in zip(alone, apart, strict=True))
    share = median(run.main_s / run.whole_s for run in apart)
    own_us = median(run.own_s / run.spans * 1e6 for run in apart)
    here, there = (
        sorted(runs, key=lambda run: run.rate)[len(runs) // 2] for runs in (alone, apart)
    )
    us = 1e6 / there.spans
    name = f"{count} worker{'s' if count > 1 else ''}, {what}"
    yield Row(
        f"{name}: times as fast as one process",
        faster,
        at_least(MIN_FASTER),
        f"{there.rate:,.0f} spans/s, in process {here.rate:,.0f}; CPU of all "
        f"{there.whole_s * us:.0f} µs a span, in process {here.whole_s / here.spans * 1e6:.0f}; "
        f"{there.worker_bytes / 2**20:.0f} MiB a worker",
    )
    yield Row(
        f"{name}: share of the CPU in the main process",
        share,
        at_most(MAX_SHARE),
        f"main {there.main_s * us:.1f} µs a span, workers {there.workers_s * us:.1f}; main is busy "
        f"{there.busy_s * us:.1f} µs by the clock: no more than {there.spans / there.busy_s:,.0f} "
        "spans/s with any number of workers",
    )
    yield Row(
        f"{name}: own Python of the main process",
        own_us,
        at_most(MAX_OWN_US, "µs"),
        "a span; it moves bytes, and looks up what is repeated",
    )


def build_all(store_path: Path, workers: int) -> Built:
    """Run only the extractor until nothing is due."""
    configure_logging("warning")
    favour_speed()
    metrics = Metrics()
    with closing(open_store(f"chdb://{store_path}")) as store:
        builder = builder_of(Settings(extract_workers=workers), store, metrics, None)
        extractor = Extractor(store, metrics, Timing(no_root_quiet_s=0), builder=builder)
        driver = _time_driver(store.connections.worker._client)  # noqa: SLF001  # past Spanloom, as engine.py
        start, own = Usage.now(), time.thread_time()
        with _waiting() as waited:
            while extractor.run_once():
                pass
        used, own_s = Usage.now().since(start), time.thread_time() - own - driver[0]
        worker_bytes = max(map(_peak_bytes, _workers()), default=0)
        extractor.stop()
    spans = int(metrics.registry.get_sample_value("spanloom_spans_extracted_total") or 0)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    workers_s = ended.ru_utime + ended.ru_stime
    busy_s = used.wall_s - waited[0]
    return Built(spans, used.wall_s, used.cpu_s, own_s, workers_s, worker_bytes, busy_s)


@contextmanager
def _waiting() -> Iterator[list[float]]:
    """Yield a list with the sum of the seconds spent waiting for workers."""
    waited = [0.0]

    def timed(*arguments: Any) -> Any:
        start = time.monotonic()
        try:
            return wait(*arguments)
        finally:
            waited[0] += time.monotonic() - start

    with patch.object(pool, "wait", timed):
        yield waited


def workers_cpu_s() -> float:
    """Return the CPU-seconds of the running workers of this process."""
    return sum(map(_cpu_s, _workers()))


def _cpu_s(pid: int) -> float:
    """Return the CPU-seconds of a running process, from proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _workers() -> Iterator[int]:
    """Yield the ids of the worker processes that this process started to build trajectories."""
    for task in Path("/proc/self/task").iterdir():
        for pid in map(int, (task / "children").read_text().split()):
            if CHILD in Path(f"/proc/{pid}/cmdline").read_text():
                yield pid


def _peak_bytes(pid: int) -> int:
    """Return the peak memory of a process; ``getrusage`` would include that before its exec."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def _time_driver(client: Any) -> list[float]:  # a client of the driver, of any type
    """Return a sum, in a list, of the CPU time that this thread spends in the driver."""
    spent = [0.0]

    def timed(method: Any) -> Any:
        def call(*arguments: object, **named: object) -> object:
            start = time.thread_time()
            try:
                return method(*arguments, **named)
            finally:
                spent[0] += time.thread_time() - start

        return call

    for name in ("raw_query", "raw_insert", "command"):
        setattr(client, name, timed(getattr(client, name)))
    return spent
