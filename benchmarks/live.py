"""Live load: what extraction takes of a core while spans come steadily, and an idle service.

``serve`` and ``collect`` take the same load in turn, each in a process of its own: what the one
takes more than the other is extraction. The sender, in a further process, is not counted.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.report import Row, at_most
from benchmarks.steady import offer
from spanloom.config import Settings
from spanloom.process.memory import favour_speed
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
"""For so long spans are still sent when the watched time is over."""
_START_S = 60.0


class Load(NamedTuple):
    """What a process used while it was watched."""

    cores: float
    """CPU-seconds a second, all its threads."""
    rate: float
    """Spans that were accepted a second."""


def measure_live(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for each rate, and one for a service to which nobody sends."""
    for rate, most in zip(scale.live_rates, MAX_CORES, strict=False):
        runs = []
        for n in range(scale.repeats):
            serving, collecting = (
                run_apart(
                    take_load, folder / f"{roles.value}-{rate}-{n}", roles, rate, scale.live_s
                )
                for roles in (EVERYTHING, Role.COLLECT)
            )
            runs.append((serving, collecting))
        yield _row(rate, most, runs)
    idle = run_apart(take_load, folder / "idle", EVERYTHING, 0, scale.live_s)
    yield Row(
        "idle: cores", idle.cores, at_most(MAX_IDLE_CORES), f"nothing sent in {scale.live_s:g} s"
    )


def _row(rate: int, most: float, runs: Sequence[tuple[Load, Load]]) -> Row:
    serving, collecting = (median(load.cores for load in side) for side in zip(*runs, strict=True))
    cores = median(serve.cores - collect.cores for serve, collect in runs)
    return Row(
        f"live at {rate:,} spans/s: cores for extraction",
        cores,
        at_most(most),
        f"{serving:.2f} cores for serve, {collecting:.2f} for collect; "
        f"{cores / rate * 1e6:,.0f} µs a span",
    )


def take_load(place: Path, roles: Role, rate: int, seconds: float) -> Load:
    """Be the service while another process sends; watch it for so long, once it has warmed up."""
    place.mkdir()
    configure_logging("warning")
    favour_speed()
    settings = Settings(data_dir=place / "data", otlp_grpc_port=0, otlp_http_port=0, api_port=0)
    warm_s = seconds / 4
    with Service(settings, roles) as service, ThreadPoolExecutor(1) as threads:
        if rate:
            sent_s = warm_s + seconds + _MORE_S
            threads.submit(run_apart, offer, service.addresses, rate, sent_s)
            _wait_for_spans(service)
        time.sleep(warm_s)
        return _watch(service, seconds)


def _watch(service: Service, seconds: float) -> Load:
    began, accepted = Usage.now(), _accepted(service)
    time.sleep(seconds)
    used = Usage.now().since(began)
    return Load(used.cpu_s / used.wall_s, (_accepted(service) - accepted) / used.wall_s)


def _wait_for_spans(service: Service) -> None:
    until = time.monotonic() + _START_S
    while not _accepted(service):
        if time.monotonic() > until:
            raise TimeoutError(f"no span came in {_START_S:g} s")
        time.sleep(0.01)


def _accepted(service: Service) -> float:
    return service.metrics.registry.get_sample_value("spanloom_spans_accepted_total") or 0
