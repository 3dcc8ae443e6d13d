"""Judging a long run: the cost of reading its annotations and of storing one of them.

Acceptance 10 of the annotation document: over a run of 100,000 steps, opening the panel and saving
one annotation take at most 100 ms each; annotations of several annotators are in one response.
``viewer.py`` measures the page itself.
"""

from __future__ import annotations

import time
from functools import partial
from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.annotators import ANNOTATORS, TIMES, mark_all, mark_each, read_all, wait_for_run
from benchmarks.apart import Usage, run_apart
from benchmarks.load import send_all, write_requests
from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, START_NS, agent_trace, wrap
from spanloom.config.settings import Settings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

BAR_MS = 100.0
MARKS_EACH = 1_000
FEW_TIMES = 3
"""Repetitions of requests that take seconds."""
MOST_AT_ONCE = 10_000
AT_REST_CORES = 0.05
MOST_REST_S = 60.0
_SPANS_PER_REQUEST = 500


class Taken(NamedTuple):
    """Milliseconds of one request: CPU of the service, and the client's wall-clock time."""

    cpu_ms: float
    clock_ms: float


class Judged(NamedTuple):
    """The cost of each request."""

    opening: Taken
    mark: Taken
    overlay: Taken
    opening_whole: Taken
    """Reads one annotator's annotations of every step."""
    overlay_whole: Taken
    """Reads every annotator's annotations of every step."""


def measure_judging(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows for opening the panel, for one annotation, and for those of five annotators."""
    spans = agent_trace(Random(7), SMALL.text_chars, START_NS, turns=(scale.viewed_spans - 2) // 2)
    parts = range(0, len(spans), _SPANS_PER_REQUEST)
    write_requests(folder / "requests", [wrap(spans[at : at + _SPANS_PER_REQUEST]) for at in parts])
    judged: Judged = run_apart(judge, folder, scale.rest_s)
    what = f"judging a run of {len(spans):,} spans"
    for name, taken in (("the panel opens", judged.opening), ("a mark, stored", judged.mark)):
        behind = f"CPU of the service; by the clock {taken.clock_ms:.0f} ms"
        yield Row(f"{what}: {name}", taken.cpu_ms, at_most(BAR_MS, "ms"), behind)
    marks = f"{len(ANNOTATORS)} annotators, {MARKS_EACH:,} marks each, one answer"
    behind = f"{marks}; by the clock {judged.overlay.clock_ms:.0f} ms"
    yield Row(f"{what}: what all say", judged.overlay.cpu_ms, at_most(2 * BAR_MS, "ms"), behind)
    whole = (("one", BAR_MS, judged.opening_whole), ("five", 2 * BAR_MS, judged.overlay_whole))
    for name, bar_ms, taken in whole:
        behind = f"a mark on each step, one answer; by the clock {taken.clock_ms:.0f} ms"
        yield Row(f"{what}: of all steps, {name}", taken.cpu_ms, at_most(bar_ms, "ms"), behind)


def judge(folder: Path, rest_s: float) -> Judged:
    """Run ``spanloom serve`` while another process sends the run, judges it and reads it."""
    configure_logging("warning")
    favour_speed()
    settings = Settings(data_dir=folder / "data", otlp_grpc_port=0, otlp_http_port=0, api_port=0)
    with Service(settings) as service:
        run_apart(send_all, "gRPC", service.addresses["otlp_grpc"], folder / "requests")
        api = service.addresses["api"]
        path, steps = run_apart(wait_for_run, api)
        url = f"{api}{path}/annotations"
        run_apart(mark_each, url, steps[:1], ANNOTATORS[:1])  # stores the version
        taken = partial(_taken, rest_s)
        mark = taken(mark_each, url, steps[1 : TIMES + 1], ANNOTATORS[:1])
        opening = taken(read_all, url, ANNOTATORS[0])
        run_apart(mark_all, url, steps[TIMES + 1 :][:MARKS_EACH])
        overlay = taken(read_all, url, "")
        for at in range(0, len(steps), MOST_AT_ONCE):
            run_apart(mark_all, url, steps[at : at + MOST_AT_ONCE])
        whole = (taken(read_all, url, name, FEW_TIMES) for name in (ANNOTATORS[0], ""))
        return Judged(opening, mark, overlay, *whole)


def _taken(rest_s: float, act: object, *asked: object) -> Taken:
    """Return the cost per request of an action, which another process performs."""
    _wait_for_rest(rest_s)
    start = Usage.now()
    clocks: Sequence[float] = run_apart(act, *asked)  # type: ignore[arg-type]
    return Taken(Usage.now().since(start).cpu_s * 1e3 / len(clocks), median(clocks) * 1e3)


def _wait_for_rest(rest_s: float) -> None:
    """Wait until the service has finished its earlier work: texts to index, parts to merge."""
    until = time.monotonic() + MOST_REST_S
    while time.monotonic() < until:
        start = Usage.now()
        time.sleep(rest_s)
        if Usage.now().since(start).cpu_s < AT_REST_CORES * rest_s:
            return
