"""Freshness: from a root's acknowledgement to its trajectory in the API, under steady load."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from random import Random
from statistics import quantiles
from typing import TYPE_CHECKING, NamedTuple

import httpx

from benchmarks.apart import run_apart
from benchmarks.load import open_sender
from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, SPANS_PER_TRACE, agent_trace, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from benchmarks.scale import Scale

MAX_P95_S = 3.0
TICK_S = 0.1
"""Time between two requests."""
ROOT_LATER_TICKS = 5
TICKS_PER_WATCHED = 4
"""Of so many requests one trace is watched: a look costs as much as ten spans, and a trace that
is watched is looked at some twenty times, so that watching more of them becomes the load."""
_POLL_S = 0.1
_FIRST_LOOK_S = 0.9
"""A root is settled after one second: no sense in asking before."""
_GIVE_UP_S = 30.0
_START_S = 60.0


class Tick(NamedTuple):
    """One request, and the traces whose root is in it."""

    request: bytes
    completed: Sequence[str]


class Freshness(NamedTuple):
    """What the client saw."""

    delays_s: Sequence[float]
    """From acknowledgement to visibility of each watched trace, in rising order."""
    offered_rate: float


def measure_freshness(scale: Scale, folder: Path) -> Iterator[Row]:
    """Give one row: the 95th percentile."""
    with _serve(folder / "freshness") as addresses:
        seen = run_apart(
            offer_and_watch,
            addresses["otlp_grpc"],
            addresses["api"],
            scale.freshness_rate,
            scale.freshness_s,
        )
    percentiles = quantiles(seen.delays_s, n=100, method="inclusive")
    yield Row(
        f"freshness at {scale.freshness_rate:,} spans/s: root acknowledged → in the API, p95",
        percentiles[94],
        at_most(MAX_P95_S, "s"),
        f"p50 {percentiles[49]:.2f} s, longest {seen.delays_s[-1]:.2f} s; "
        f"{len(seen.delays_s)} traces watched at {seen.offered_rate:,.0f} spans/s",
    )


def offer_and_watch(otlp: str, api: str, rate: int, duration_s: float) -> Freshness:
    """Send at the given rate over gRPC; ask the API for some of the traces until they are whole."""
    ticks = _make_ticks(rate, duration_s)
    acknowledged: SimpleQueue[tuple[str, float] | None] = SimpleQueue()
    delays: list[float] = []
    watcher = threading.Thread(target=_watch, args=(api, acknowledged, delays))
    watcher.start()
    began = time.monotonic()
    try:
        with open_sender("gRPC", otlp) as send:
            for n, tick in enumerate(ticks):
                time.sleep(max(began + n * TICK_S - time.monotonic(), 0))
                send(tick.request)
                if n % TICKS_PER_WATCHED == 0 and tick.completed:
                    acknowledged.put((tick.completed[0], time.monotonic()))
    finally:
        acknowledged.put(None)
    lasted = max(time.monotonic() - began - ROOT_LATER_TICKS * TICK_S, duration_s)
    watcher.join()
    return Freshness(sorted(delays), rate * duration_s / lasted)


def _make_ticks(rate: int, duration_s: float) -> Sequence[Tick]:
    """Lay out the requests: each trace's root comes some requests after its other spans."""
    random = Random(7)
    start_ns, count = time.time_ns(), round(duration_s / TICK_S)
    parts: list[list[Span]] = [[] for _ in range(count + ROOT_LATER_TICKS)]
    completed: list[list[str]] = [[] for _ in parts]
    for n in range(round(rate * duration_s / SPANS_PER_TRACE)):
        tick = int(n * SPANS_PER_TRACE / rate / TICK_S)
        *others, root = agent_trace(random, SMALL.text_chars, start_ns + n)
        parts[tick] += others
        parts[tick + ROOT_LATER_TICKS].append(root)
        completed[tick + ROOT_LATER_TICKS].append(root.trace_id.hex())
    return [Tick(wrap(spans), ids) for spans, ids in zip(parts, completed, strict=True)]


def _watch(
    api: str, acknowledged: SimpleQueue[tuple[str, float] | None], delays: list[float]
) -> None:
    """Ask for each trace until all its spans are in its trajectory; one never seen counts as ∞."""
    waiting: list[tuple[str, float]] = []
    is_open = True
    with httpx.Client(base_url=api, timeout=_GIVE_UP_S) as client:
        while is_open or waiting:
            began = time.monotonic()
            try:
                while (item := acknowledged.get_nowait()) is not None:
                    waiting.append(item)
                is_open = False
            except Empty:
                pass
            waiting = [item for item in waiting if not _is_seen(client, *item, delays)]
            time.sleep(max(began + _POLL_S - time.monotonic(), 0))


def _is_seen(client: httpx.Client, trace_id: str, since: float, delays: list[float]) -> bool:
    """Look once; note how long it took if it is there or given up."""
    waited = time.monotonic() - since
    if waited < _FIRST_LOOK_S:
        return False
    answer = client.get(f"/v1/trajectories/{trace_id}")
    if answer.status_code == 200 and _span_count(answer) == SPANS_PER_TRACE:
        delays.append(time.monotonic() - since)
        return True
    if waited > _GIVE_UP_S:
        delays.append(float("inf"))
        return True
    return False


def _span_count(answer: httpx.Response) -> int:
    return int(answer.json()["extraction"]["span_count"])


@contextmanager
def _serve(data_dir: Path) -> Iterator[dict[str, str]]:
    """Run ``spanloom serve`` as a user does, on free ports; give its addresses."""
    ports = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api")]
    command = [sys.executable, "-m", "spanloom", "serve", f"--data-dir={data_dir}", *ports]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
            process.terminate()
            process.wait(_START_S)
        finally:
            process.kill()
