"""Ingest: receiving, validating, syncing and storing, compared with a bare INSERT of the rows."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.engine import (
    create_bare_table,
    dump_batches,
    noting_batches,
    open_engine,
    wait_for_merges,
)
from benchmarks.load import send_all, write_requests
from benchmarks.report import Row, at_least, at_most
from benchmarks.workload import BIG, SMALL, make_requests
from spanloom.config.settings import Settings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.roles import Role
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.engine import Batch
    from benchmarks.load import Transport
    from benchmarks.scale import Scale

MAX_CPU, MIN_RATE = 3.0, 0.4
TRANSPORTS: tuple[Transport, ...] = ("gRPC", "HTTP")
_WAIT_S = 300.0


class Stored(NamedTuple):
    """The cost of storing spans."""

    cpu_s: float
    """CPU time of the whole process, including merges."""
    wall_s: float
    """Seconds from the first request until all spans are stored."""
    span_count: int
    batch_count: int


def measure_ingest(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield two rows for each transport and size of span."""
    sizes = ((SMALL, scale.small_spans), (BIG, scale.big_spans))
    for (shape, span_count), only in zip(sizes, TRANSPORTS, strict=True):
        path = folder / "requests"
        write_requests(path, list(make_requests(shape, span_count)))
        for transport in TRANSPORTS if scale.every_ingest else (only,):
            runs = []
            for n in range(scale.repeats):
                place = folder / f"{shape.text_chars}-{transport}-{n}"
                ours = run_apart(collect, place, transport, path, scale.quiet_s)
                runs.append((ours, run_apart(insert_bare, place, scale.quiet_s)))
            yield from _rows(f"{transport}, {shape.label} spans", runs)


def _rows(what: str, runs: Sequence[tuple[Stored, Stored]]) -> Iterator[Row]:
    ours, bare = (_typical(side) for side in zip(*runs, strict=True))
    hundred_thousands = ours.span_count / 1e5
    yield Row(
        f"ingest, {what}: CPU time ÷ bare INSERT",
        median(ours.cpu_s / bare.cpu_s for ours, bare in runs),
        at_most(MAX_CPU),
        f"{ours.cpu_s / hundred_thousands:.2f} and {bare.cpu_s / hundred_thousands:.2f} CPU-s "
        f"per 100,000 spans; {ours.span_count:,} spans in {ours.batch_count} batches",
    )
    yield Row(
        f"ingest, {what}: spans/s ÷ bare INSERT",
        median(bare.wall_s / ours.wall_s for ours, bare in runs),
        at_least(MIN_RATE),
        f"{ours.span_count / ours.wall_s:,.0f} and {bare.span_count / bare.wall_s:,.0f} spans/s",
    )


def _typical(runs: Sequence[Stored]) -> Stored:
    return Stored(*(median(figures) for figures in zip(*runs, strict=True)))


def collect(place: Path, transport: Transport, requests: Path, quiet_s: float) -> Stored:
    """Run ``spanloom collect`` while another process sends; write the stored rows to files."""
    place.mkdir()
    configure_logging("warning")
    favour_speed()
    settings = Settings(data_dir=place / "data", otlp_grpc_port=0, otlp_http_port=0, api_port=0)
    with (
        noting_batches() as batches,
        Service(settings, Role.COLLECT) as service,
        open_engine(settings.data_dir / "store") as db,
    ):
        start = Usage.now()
        began = run_apart(
            send_all, transport, service.addresses[f"otlp_{transport.lower()}"], requests
        )
        _wait_until_stored(service, batches)
        ended = time.monotonic()
        wait_for_merges(db, quiet_s)
        cpu_s = Usage.now().since(start).cpu_s
        dump_batches(db, batches, place)
    return Stored(cpu_s, ended - began, sum(b.span_count for b in batches), len(batches))


def insert_bare(place: Path, quiet_s: float) -> Stored:
    """Insert the rows written by ``collect`` into the bare table, batch by batch."""
    blocks = [path.read_bytes() for path in sorted(place.glob("*.native"))]
    with open_engine(place / "bare") as db:
        create_bare_table(db)
        start = Usage.now()
        for block in blocks:
            db.raw_insert("otel_traces", insert_block=block, fmt="Native")
        wall_s = Usage.now().since(start).wall_s
        wait_for_merges(db, quiet_s)
        cpu_s = Usage.now().since(start).cpu_s
        (count,) = db.query("SELECT count() FROM otel_traces").result_rows[0]
    return Stored(cpu_s, wall_s, count, len(blocks))


def _wait_until_stored(service: Service, batches: Sequence[Batch]) -> None:
    """Wait until all spans are stored; all of them have been acknowledged before."""
    accepted = service.metrics.registry.get_sample_value("spanloom_spans_accepted_total")
    until = time.monotonic() + _WAIT_S
    while sum(batch.span_count for batch in batches) != accepted:
        if time.monotonic() > until:
            raise TimeoutError(f"the spool is not empty after {_WAIT_S:g} s")
        time.sleep(0.01)
