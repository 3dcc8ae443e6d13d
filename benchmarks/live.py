"""Live load: CPU cores used by extraction while spans arrive steadily, and by an idle service.

``serve`` without its text index and ``collect`` take the same load in turn, each in a process of
its own: the difference is extraction, workers included. The cost of ``serve`` with the index is
shown as well. The sender, in a further process, is not counted.
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
from spanloom.config.settings import Settings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.roles import EVERYTHING, Role
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_CORES = (0.3, 0.1)
"""Limits for extraction alone, at each of the rates of ``Scale.live_rates``."""
MAX_IDLE_CORES = 0.015
_MORE_S = 2.0
"""Seconds for which spans are sent after the measured time, or its length if that is less."""
_START_S = 60.0


Way: TypeAlias = Literal["with index", "without", "collect"]
WAYS: tuple[Way, ...] = ("with index", "without", "collect")


class Load(NamedTuple):
    """The usage of a process while it was measured."""

    cores: float
    """CPU-seconds per second, with all threads and workers."""
    rate: float
    """Accepted spans per second."""


class Loads(NamedTuple):
    """The usage under the same load, for each of ``WAYS``."""

    indexing: Load
    serving: Load
    collecting: Load


def measure_live(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for each rate, and one for an idle service."""
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
    """Run the service while another process sends; measure it after a warm-up."""
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
