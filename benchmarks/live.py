"""Live load: what extraction takes of a core while spans come steadily, and an idle service.

``serve`` without its index of texts and ``collect`` take the same load in turn, each in a process
of its own: what the one takes more than the other is extraction, workers included. What ``serve``
takes with the index is told beside it. The sender, in a further process, is not counted.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from benchmarks.apart import Usage, run_apart
from benchmarks.report import Row, at_most
from benchmarks.steady import offer
from benchmarks.workers import workers_cpu_s
from spanloom.config import Settings
from spanloom.memory import favour_speed
from spanloom.process.wiring import EVERYTHING, Role, Service
from spanloom.telemetry import configure_logging

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_CORES = (0.3, 0.1)
"""For extraction alone, at each of the rates of ``Scale.live_rates``."""
MAX_IDLE_CORES = 0.015
_MORE_S = 2.0
"""For so long spans are still sent when the watched time is over, and no longer than that took."""
_START_S = 60.0


Way: TypeAlias = Literal["with index", "without", "collect"]
WAYS: tuple[Way, ...] = ("with index", "without", "collect")


class Load(NamedTuple):
    """What a process used while it was watched."""

    cores: float
    """CPU-seconds a second, all its threads and workers."""
    rate: float
    """Spans that were accepted a second."""


class Loads(NamedTuple):
    """The same load taken in each of ``WAYS``."""

    indexing: Load
    serving: Load
    collecting: Load


def measure_live(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for each rate, and one for a service to which nobody sends."""
    for rate, most in zip(scale.live_rates, MAX_CORES, strict=False):
        runs = []
        for n in range(scale.repeats):
            place = folder / f"{rate}-{n}"
            runs.append(Loads(*(_apart(place, rate, scale, way) for way in WAYS)))
        yield _row(rate, most, runs)
    idle = run_apart(take_load, folder / "idle", WAYS[0], 0, scale.live_s)
    yield Row(
        "idle: cores", idle.cores, at_most(MAX_IDLE_CORES), f"nothing sent in {scale.live_s:g} s"
    )


def _apart(place: Path, rate: int, scale: Scale, way: Way) -> Load:
    return run_apart(take_load, place.with_name(f"{place.name}-{way}"), way, rate, scale.live_s)


def _row(rate: int, most: float, runs: Sequence[Loads]) -> Row:
    cores = median(run.serving.cores - run.collecting.cores for run in runs)
    index = median(run.indexing.cores - run.serving.cores for run in runs)
    serving = median(run.serving.cores for run in runs)
    collecting = median(run.collecting.cores for run in runs)
    return Row(
        f"live at {rate:,} spans/s: cores for extraction",
        cores,
        at_most(most),
        f"{serving:.2f} cores for serve, {collecting:.2f} for collect; "
        f"{cores / rate * 1e6:,.0f} µs a span; {index:.2f} more with the index of texts",
    )


def take_load(place: Path, way: Way, rate: int, seconds: float) -> Load:
    """Be the service while another process sends; watch it for so long, once it has warmed up."""
    place.mkdir()
    configure_logging("warning")
    favour_speed()
    settings = Settings(
        data_dir=place / "data",
        otlp_grpc_port=0,
        otlp_http_port=0,
        api_port=0,
        no_search=way != "with index",
    )
    warm_s = seconds / 4
    roles = Role.COLLECT if way == "collect" else EVERYTHING
    with Service(settings, roles) as service, ThreadPoolExecutor(1) as threads:
        if rate:
            sent_s = warm_s + seconds + min(_MORE_S, seconds)
            threads.submit(run_apart, offer, service.addresses, rate, sent_s)
            _wait_for_spans(service)
        time.sleep(warm_s)
        return _watch(service, seconds)


def _watch(service: Service, seconds: float) -> Load:
    began, accepted = Usage.now(), _accepted(service)
    elsewhere = workers_cpu_s()
    time.sleep(seconds)
    used = Usage.now().since(began)
    cpu_s = used.cpu_s + workers_cpu_s() - elsewhere
    return Load(cpu_s / used.wall_s, (_accepted(service) - accepted) / used.wall_s)


def _wait_for_spans(service: Service) -> None:
    until = time.monotonic() + _START_S
    while not _accepted(service):
        if time.monotonic() > until:
            raise TimeoutError(f"no span came in {_START_S:g} s")
        time.sleep(0.01)


def _accepted(service: Service) -> float:
    return service.metrics.registry.get_sample_value("spanloom_spans_accepted_total") or 0
