"""Growth: the cost of a trace of 100,000 spans compared with one of 1,000."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.filling import fill_store
from benchmarks.load import write_requests
from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, START_NS, agent_trace, wrap
from spanloom.core.model.trajectory import Status
from spanloom.extractor.batch import build_batch
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_RATIO = 120.0
_SHORT_TRACES = 9
_SPANS_PER_REQUEST = 500


class Growth(NamedTuple):
    """CPU-seconds from reading the spans to writing the trajectory."""

    long_cpu_s: float
    short_cpu_s: float


def measure_growth(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield one row; ``long_run.py`` measures the cost of a long run from outside."""
    path, store_path = folder / "requests", folder / "growth"
    write_requests(path, list(_requests(scale)))
    run_apart(fill_store, store_path, path, scale.quiet_s)
    growth = run_apart(extract_each, store_path, scale.long_trace)
    yield Row(
        f"growth, a trace of {scale.long_trace:,} spans: CPU time ÷ that of {scale.short_trace:,}",
        growth.long_cpu_s / growth.short_cpu_s,
        at_most(MAX_RATIO),
        f"{growth.long_cpu_s:.2f} s and {growth.short_cpu_s * 1000:.1f} ms of CPU time",
    )


def extract_each(store_path: Path, long_trace: int) -> Growth:
    """Extract the traces one by one, the long one last; the first one is only a warm-up."""
    configure_logging("warning")
    favour_speed()
    store = open_store(f"chdb://{store_path}")
    changes = sorted(store.progress.unextracted(), key=lambda change: change.span_count)
    used = []
    for change in changes:
        start = Usage.now()
        result = build_batch(store, {change.key: Status.SETTLED})
        used.append(Usage.now().since(start).cpu_s)
        if len(result.written) != 1:
            raise RuntimeError(f"{change.key} was not written: {result.failures}")
    store.close()
    if changes[-1].span_count != long_trace:
        raise RuntimeError(f"the long trace has {changes[-1].span_count} spans")
    return Growth(used[-1], median(used[1:-1]))


def _requests(scale: Scale) -> Iterator[bytes]:
    """Yield traces of one agent, each with as many turns as its number of spans needs."""
    random = Random(7)
    for size in (*[scale.short_trace] * (_SHORT_TRACES + 1), scale.long_trace):
        spans = agent_trace(random, SMALL.text_chars, START_NS, turns=(size - 2) // 2)
        for first in range(0, len(spans), _SPANS_PER_REQUEST):
            yield wrap(spans[first : first + _SPANS_PER_REQUEST])
