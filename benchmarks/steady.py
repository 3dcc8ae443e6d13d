"""A steady load of spans, and the delay until a trace is complete in the API."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from itertools import cycle
from queue import Empty, SimpleQueue
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import httpx

from benchmarks.load import open_sender
from benchmarks.workload import SECOND, SMALL, SPANS_PER_TRACE, agent_trace, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    from benchmarks.load import Transport

TICK_S = 0.1
"""Seconds between two requests."""
ROOT_LATER_TICKS = 5
"""Delay of a trace's root after its other spans, in requests."""
TICKS_PER_WATCHED = 4
"""One trace is watched for this many requests. A poll costs as much as ten spans, and a watched
trace is polled about twenty times, so that watching more would become the main load.
"""
_POLL_S = 0.1
_FIRST_LOOK_S = 0.9
"""Seconds until the first poll, because a root settles after one second."""
_GIVE_UP_S = 120.0


class Tick(NamedTuple):
    """A request, the traces whose root is in it, and the traces whose other spans are in it."""

    request: bytes
    span_count: int
    completed: Sequence[str]
    begun: Sequence[str]


class Watched(NamedTuple):
    """The client's observations."""

    delays_s: Sequence[float]
    """Seconds from acknowledgement to visibility of each watched trace, in ascending order."""
    sent_spans: int
    """Number of spans sent; all of them were acknowledged."""
    lasted_s: float


def make_ticks(
    rate: int, duration_s: float, root_later_ticks: int = ROOT_LATER_TICKS
) -> Iterator[Tick]:
    """Yield the requests one by one; a trace's root follows its other spans some requests later."""
    random = Random(7)
    start_ns, count = time.time_ns(), round(duration_s / TICK_S)
    roots: list[list[Span]] = [[] for _ in range(root_later_ticks)]
    made = 0
    for n in range(count + root_later_ticks):
        spans = roots.pop(0)
        completed = [root.trace_id.hex() for root in spans]
        roots.append([])
        while n < count and made * SPANS_PER_TRACE < rate * TICK_S * (n + 1):
            began_ns = start_ns + round(n * TICK_S * SECOND)
            *others, root = agent_trace(random, SMALL.text_chars, began_ns)
            spans += others
            roots[-1].append(root)
            made += 1
        begun = [root.trace_id.hex() for root in roots[-1]]
        yield Tick(wrap(spans), len(spans), completed, begun)


def offer_and_watch(
    addresses: Mapping[str, str],
    rate: int,
    duration_s: float,
    transports: Sequence[Transport] = ("gRPC",),
    root_later_ticks: int = ROOT_LATER_TICKS,
    *,
    live: bool = False,
) -> Watched:
    """Send at the given rate, by each transport in turn; watch some of the traces in the API.

    A trace is watched from its root on until it is complete; with ``live``, from its first spans on
    until it appears. Up to a minute of load is prepared before the first request, so that its
    preparation is not measured.
    """
    ticks: Iterable[Tick] = make_ticks(rate, duration_s, root_later_ticks)
    if duration_s <= 60:
        ticks = list(ticks)
    acknowledged: SimpleQueue[tuple[str, float] | None] = SimpleQueue()
    delays: list[float] = []
    at_least = SPANS_PER_TRACE - live  # all but the root
    watcher = threading.Thread(
        target=_watch, args=(addresses["api"], acknowledged, at_least, delays)
    )
    watcher.start()
    began = time.monotonic()
    try:
        sent_spans = _send(addresses, transports, ticks, acknowledged, live=live)
    finally:
        acknowledged.put(None)
    lasted_s = time.monotonic() - began
    watcher.join()
    return Watched(sorted(delays), sent_spans, lasted_s)


def offer(addresses: Mapping[str, str], rate: int, duration_s: float) -> int:
    """Send at the given rate over gRPC without watching; return the number of spans sent."""
    return _send(
        addresses, ("gRPC",), list(make_ticks(rate, duration_s)), SimpleQueue(), live=False
    )


def _send(
    addresses: Mapping[str, str],
    transports: Sequence[Transport],
    ticks: Iterable[Tick],
    acknowledged: SimpleQueue[tuple[str, float] | None],
    *,
    live: bool,
) -> int:
    """Send each request at its time, or at once if that has passed; return the number of spans."""
    sent_spans = 0
    began = time.monotonic()
    with ExitStack() as stack:
        doors = {"gRPC": addresses["otlp_grpc"], "HTTP": addresses["otlp_http"]}
        senders = [stack.enter_context(open_sender(by, doors[by])) for by in transports]
        for n, (tick, send) in enumerate(zip(ticks, cycle(senders), strict=False)):
            time.sleep(max(began + n * TICK_S - time.monotonic(), 0))
            send(tick.request)
            sent_spans += tick.span_count
            of_interest = tick.begun if live else tick.completed
            if n % TICKS_PER_WATCHED == 0 and of_interest:
                acknowledged.put((of_interest[0], time.monotonic()))
    return sent_spans


def _watch(
    api: str,
    acknowledged: SimpleQueue[tuple[str, float] | None],
    at_least: int,
    delays: list[float],
) -> None:
    """Poll each trace until it has ``at_least`` spans; a trace that never appears counts as ∞."""
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
            waiting = [item for item in waiting if not _is_seen(client, *item, at_least, delays)]
            time.sleep(max(began + _POLL_S - time.monotonic(), 0))


def _is_seen(
    client: httpx.Client, trace_id: str, since: float, at_least: int, delays: list[float]
) -> bool:
    """Poll once; record the delay if the trace has appeared, ∞ after a timeout."""
    waited = time.monotonic() - since
    if waited < _FIRST_LOOK_S:
        return False
    answer = client.get(f"/v1/trajectories/{trace_id}")
    if answer.status_code == 200 and _span_count(answer) >= at_least:
        delays.append(time.monotonic() - since)
        return True
    if waited > _GIVE_UP_S:
        delays.append(float("inf"))
        return True
    return False


def _span_count(answer: httpx.Response) -> int:
    return int(answer.json()["extraction"]["span_count"])
