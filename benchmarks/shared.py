"""Extraction by several extractors over one ClickHouse server, each with a share of the traces.

The same stored spans are extracted by one process and by four. The engine is another process and is
not counted. With few CPU cores the wall-clock time is not meaningful, so each process is judged by
its own CPU time, and of the four the busiest counts.
"""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from tests.support.started_server import started_server

from benchmarks.apart import FRESH, Usage, run_apart
from benchmarks.filling import fill_server
from benchmarks.load import write_requests
from benchmarks.report import Row, at_least, at_most
from benchmarks.workload import SMALL, make_requests
from spanloom import __version__
from spanloom.core.sharing import SLICES
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.heartbeat import Heartbeat
from spanloom.logs import configure_logging
from spanloom.metrics import Metrics
from spanloom.storage.store import open_store
from spanloom.storage.workers import open_workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

MIN_FASTER = 3.0
"""Minimum speed-up by four extractors instead of one."""
MAX_READ = 1.3
POLL_S = 0.1


class Share(NamedTuple):
    """The spans that one of the extractors read, and its CPU-seconds."""

    spans: int
    cpu_s: float


def measure_shared(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for the rate of four extractors, and one for all spans that they read."""
    write_requests(folder / "requests", list(make_requests(SMALL, scale.extracted_spans)))
    runs: list[tuple[Share, Sequence[Share]]] = []
    read: list[float] = []
    with started_server(folder / "server") as server:
        for repeat in range(scale.repeats):
            shares = []
            for members in (1, scale.sharing):
                database = f"shared_{repeat}_{members}"
                server.client().command(f"CREATE DATABASE {database} ENGINE = Atomic")
                url = server.url(database)
                spans = run_apart(fill_server, url, folder / "requests")
                with ProcessPoolExecutor(members, mp_context=FRESH) as processes:
                    started = [processes.submit(build_share, url, members) for _ in range(members)]
                    shares.append([future.result() for future in started])
            (alone,), together = shares
            runs.append((alone, together))
            read.append(sum(share.spans for share in together) / spans)
    yield from _rows(runs, read, scale.sharing)


def _rows(
    runs: Sequence[tuple[Share, Sequence[Share]]], read: Sequence[float], count: int
) -> Iterator[Row]:
    faster = [alone.cpu_s / max(s.cpu_s for s in together) for alone, together in runs]
    alone, together = runs[faster.index(sorted(faster)[len(faster) // 2])]
    us = [f"{s.cpu_s / max(s.spans, 1) * 1e6:.0f}" for s in together]
    yield Row(
        f"{count} extractors on one server: times as fast as one",
        median(faster),
        at_least(MIN_FASTER),
        f"one {alone.cpu_s:.2f} CPU-s for {alone.spans:,} spans, "
        f"{alone.cpu_s / alone.spans * 1e6:.0f} µs each; of {count} the busiest "
        f"{max(s.cpu_s for s in together):.2f} CPU-s, µs a span {', '.join(us)}",
    )
    yield Row(
        f"{count} extractors on one server: spans read, of each stored",
        median(read),
        at_most(MAX_READ),
        "spans " + ", ".join(f"{share.spans:,}" for share in together),
    )


def build_share(url: str, members: int) -> Share:
    """Run one of ``members`` extractors until nothing is due at any of them."""
    configure_logging("warning")
    metrics, me = Metrics(), secrets.token_hex(8)
    heartbeat = Heartbeat(open_workers(url, me, __version__), me, ["extract"], metrics)
    heartbeat.start()
    with closing(open_store(url)) as store:
        timing = Timing(no_root_quiet_s=0)
        extractor = Extractor(store, metrics, timing, held=heartbeat.held)
        while len(heartbeat.held("extract") or ()) != SLICES // members:
            time.sleep(POLL_S)
        start = Usage.now()
        while extractor.run_once():
            pass
        used = Usage.now().since(start)
        while store.progress.unextracted():  # an extractor that ends first hands its share over
            time.sleep(POLL_S)
        extractor.stop()
    heartbeat.stop(1)
    spans = int(metrics.registry.get_sample_value("spanloom_spans_extracted_total") or 0)
    return Share(spans, used.cpu_s)
