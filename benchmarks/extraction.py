"""Measures extraction on one core: reading stored spans and writing trajectories."""

from __future__ import annotations

import time
from statistics import median, median_low
from typing import TYPE_CHECKING, NamedTuple, cast

from benchmarks.apart import Usage, run_apart
from benchmarks.captured import captured_requests
from benchmarks.engine import open_engine, wait_for_merges
from benchmarks.filling import fill_store
from benchmarks.ingest import insert_bare
from benchmarks.load import write_requests
from benchmarks.report import Row, at_least
from benchmarks.timed_store import READING, WRITING, TimedStore
from benchmarks.workload import SMALL, make_requests
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.model.trajectory import Status
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.metrics import Metrics
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.ingest import Stored
    from benchmarks.scale import Scale
    from spanloom.core.ports.store import Store

MIN_RATE = 20_000.0
_SAMPLE = 200
"""Number of traces whose extracting and encoding are timed separately."""


class Extracted(NamedTuple):
    """The cost of extracting all spans of a store."""

    rate: float
    """Spans per CPU-second, until the last trajectory was written."""
    rate_merged: float
    """Spans per CPU-second, including the merges that follow."""
    span_count: int
    trace_count: int
    parts: Mapping[str, float]
    """CPU-seconds, keyed by what the CPU was used for."""


def measure_extraction(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for the synthetic runs and one for the captured ones."""
    captured = (r.SerializeToString() for r in captured_requests(scale.extracted_spans))
    workloads: dict[str, Iterable[bytes]] = {
        f"synthetic runs, {SMALL.label} spans": make_requests(SMALL, scale.extracted_spans),
        "captured runs of ten SDKs": captured,
    }
    for n, (what, requests) in enumerate(workloads.items()):
        requests_path = folder / "requests"
        write_requests(requests_path, list(requests))
        runs = []
        for repeat in range(scale.repeats):
            place = folder / f"extraction-{n}-{repeat}"
            place.mkdir()
            run_apart(fill_store, place / "store", requests_path, scale.quiet_s, place)
            extracted = run_apart(extract_all, place / "store", scale.quiet_s)
            runs.append((extracted, run_apart(insert_bare, place, scale.quiet_s)))
        yield _row(what, runs)


def _row(what: str, runs: Sequence[tuple[Extracted, Stored]]) -> Row:
    rate = median_low(run.rate for run, _ in runs)
    typical = next(run for run, _ in runs if run.rate == rate)
    ratio = median(bare.span_count / bare.cpu_s / run.rate_merged for run, bare in runs)
    total = sum(typical.parts.values())
    shares = ", ".join(f"{name} {used / total:.0%}" for name, used in typical.parts.items())
    return Row(
        f"extraction, {what}: spans per CPU-second",
        rate,
        at_least(MIN_RATE),
        f"{typical.span_count:,} spans in {typical.trace_count:,} traces; "
        f"{typical.rate_merged:,.0f} with the merges that follow, {ratio:.1f} times the CPU time "
        "of the bare INSERT of the spans",
        shares,
    )


def extract_all(store_path: Path, quiet_s: float) -> Extracted:
    """Run only the extractor until nothing is due."""
    configure_logging("warning")
    favour_speed()
    metrics = Metrics()
    store = open_store(f"chdb://{store_path}")
    timed = TimedStore(store)
    extractor = Extractor(cast("Store", timed), metrics, Timing(no_root_quiet_s=0))
    with open_engine(store_path) as db:
        start = Usage.now()
        trace_count = 0
        while built := extractor.run_once():
            trace_count += built
        used_s = Usage.now().since(start).cpu_s
        parts = _parts(store, timed, used_s)
        merging = Usage.now()
        wait_for_merges(db, quiet_s)
        merging_s = Usage.now().since(merging).cpu_s
    spans = int(metrics.registry.get_sample_value("spanloom_spans_extracted_total") or 0)
    store.close()
    return Extracted(spans / used_s, spans / (used_s + merging_s), spans, trace_count, parts)


def _parts(store: Store, timed: TimedStore, used_s: float) -> Mapping[str, float]:
    """Divide the CPU-seconds by use; Python's own part is split in proportion to a sample."""
    reading = timed.cpu_s[READING]
    writing = sum(timed.cpu_s[name] for name in WRITING)
    looking_up = sum(timed.cpu_s.values()) - reading - writing
    own = used_s - sum(timed.cpu_s.values())
    extracting, encoding = _sample(store)
    share = extracting / (extracting + encoding)
    return {
        "read": reading,
        "extract": own * share,
        "encode": own * (1 - share),
        "write": writing,
        "look up": looking_up,
    }


def _sample(store: Store) -> tuple[float, float]:
    keys = [change.key for change in store.progress.unextracted()[:_SAMPLE]]
    traces = store.spans.read_spans(keys)
    start = time.thread_time()
    trajectories = [extract(key, spans) for key, spans in traces.items()]
    between = time.thread_time()
    for trajectory in trajectories:
        encode_document(trajectory, 0, Status.SETTLED)
        encode_spans(trajectory)
    return between - start, time.thread_time() - between
