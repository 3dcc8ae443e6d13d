"""A steady load: so many spans a second, and how long until a trace is whole in the API."""

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
"""Time between two requests."""
ROOT_LATER_TICKS = 5
"""How much later than its other spans a trace's root is sent."""
TICKS_PER_WATCHED = 4
"""Of so many requests one trace is watched: a look costs as much as ten spans, and a trace that
is watched is looked at some twenty times, so that watching more of them becomes the load."""
_POLL_S = 0.1
_FIRST_LOOK_S = 0.9
"""A root is settled after one second: no sense in asking before."""
_GIVE_UP_S = 120.0


class Tick(NamedTuple):
    """One request, the traces whose root is in it, and those whose other spans are."""

    request: bytes
    span_count: int
    completed: Sequence[str]
    begun: Sequence[str]


class Watched(NamedTuple):
    """What the client saw."""

    delays_s: Sequence[float]
    """From acknowledgement to visibility of each watched trace, in rising order."""
    sent_spans: int
    """All of them acknowledged."""
    lasted_s: float


def make_ticks(
    rate: int, duration_s: float, root_later_ticks: int = ROOT_LATER_TICKS
) -> Iterator[Tick]:
    """Yield the requests one by one; a trace's root comes some requests after its other spans."""
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

    A trace is watched from its root on until it is whole; ``live``, from its first spans on until
    it is there at all. Up to a minute of load is made before the first request, so that making it
    is no part of it.
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
    """Send at the given rate over gRPC and watch nothing; give the number of spans sent."""
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
    """Send each request at its time, or at once if that has passed; give the number of spans."""
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
    """Ask for each trace until its trajectory has so many spans; one never seen counts as ∞."""
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
    """Look once; note how long it took if it is there or given up."""
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
