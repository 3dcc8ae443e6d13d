"""Measures from outside: spans are sent at full speed, until every trajectory can be read.

The cost of the service, workers included, is compared with that of protobuf's own ``MessageToJson``
for writing the same spans as JSON once, as a generally available unit.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.apart import Usage, peak_rss_bytes, run_apart
from benchmarks.engine import open_engine
from benchmarks.load import read_requests, send_all, write_requests
from benchmarks.report import Row, at_most
from benchmarks.workers import workers_cpu_s
from benchmarks.workload import SMALL, SPANS_PER_TRACE, make_requests
from spanloom.config.settings import Settings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clickhouse_connect.driver.client import Client

    from benchmarks.scale import Scale

MAX_RATIO = 0.85
_READABLE = "SELECT uniqExact(TraceId) FROM trajectories WHERE Status = 'settled'"
_WAIT_S = 600.0
_LOOK_S = 0.25
"""Seconds between checks whether all trajectories can be read, after all have been written.

The cost of these checks is included.
"""


class Taken(NamedTuple):
    """The cost of all runs for a service."""

    cpu_s: float
    wall_s: float
    """Seconds from the first request until the last trajectory can be read."""
    peak_bytes: int


def measure_outside(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield one row: the ratio of the CPU times."""
    path = folder / "requests"
    write_requests(path, list(make_requests(SMALL, scale.small_spans)))
    traces = -(-scale.small_spans // SPANS_PER_TRACE)
    runs = []
    for n in range(scale.repeats):
        yardstick_s = run_apart(write_json, path)
        plain, indexed = (
            run_apart(take_all, folder / f"{n}-{has_index}", path, traces, has_index=has_index)
            for has_index in (False, True)
        )
        runs.append((yardstick_s, plain, indexed))
    yardstick_s, plain, indexed = sorted(runs, key=lambda run: run[1].cpu_s / run[0])[
        len(runs) // 2
    ]
    spans = traces * SPANS_PER_TRACE
    yield Row(
        "from outside: CPU time ÷ MessageToJson",
        median(taken.cpu_s / json_s for json_s, taken, _ in runs),
        at_most(MAX_RATIO),
        f"{plain.cpu_s / spans * 1e6:.0f} and {yardstick_s / spans * 1e6:.0f} µs a span, "
        f"{indexed.cpu_s / spans * 1e6:.0f} with the index of texts; {spans / plain.wall_s:,.0f} "
        f"spans/s until all {traces:,} runs are there; at most {plain.peak_bytes / 2**20:,.0f} MiB",
    )


def write_json(requests_path: Path) -> float:
    """Write the requests as JSON; return the CPU-seconds."""
    messages = map(ExportTraceServiceRequest.FromString, read_requests(requests_path))
    used_s = 0.0
    for message in messages:
        start = Usage.now()
        MessageToJson(message)
        used_s += Usage.now().since(start).cpu_s
    return used_s


def take_all(place: Path, requests: Path, traces: int, *, has_index: bool) -> Taken:
    """Run ``spanloom serve`` while another process sends, until all runs can be read."""
    place.mkdir()
    configure_logging("warning")
    favour_speed()
    settings = Settings(
        data_dir=place / "data",
        otlp_grpc_port=0,
        otlp_http_port=0,
        api_port=0,
        no_search=not has_index,
    )
    with Service(settings) as service, open_engine(settings.data_dir / "store") as db:
        start = Usage.now()
        began = run_apart(send_all, "gRPC", service.addresses["otlp_grpc"], requests)
        _wait_until_readable(service, db, traces)
        ended = time.monotonic()
        cpu_s = Usage.now().since(start).cpu_s + workers_cpu_s()
    return Taken(cpu_s, ended - began, peak_rss_bytes())


def _wait_until_readable(service: Service, db: Client, traces: int) -> None:
    until = time.monotonic() + _WAIT_S
    while _written(service) < traces:
        _rest(until)
    while db.query(_READABLE).result_rows[0][0] < traces:
        _rest(until)


def _written(service: Service) -> float:
    """Return the number of written trajectories, including those of runs in progress."""
    written = {"result": "written"}
    return service.metrics.registry.get_sample_value("spanloom_extractions_total", written) or 0


def _rest(until: float) -> None:
    if time.monotonic() > until:
        raise TimeoutError(f"not all runs can be read after {_WAIT_S:g} s")
    time.sleep(_LOOK_S)
