"""Pages over many runs: the cost of each request for a service with a month of runs.

The requests are those of the page for a range of 30 days, in the reader's time zone. The CPU time
is that of the service's whole process tree.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import httpx

from benchmarks.apart import run_apart
from benchmarks.long_run import started, tree_cpu_s
from benchmarks.month import fill_runs
from benchmarks.report import Row, at_most
from benchmarks.runs import DAY, DAYS, FIRST_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_REQUEST_MS, MAX_LIST_MS, MAX_CHART_S = 120.0, 60.0, 1.0
AT_REST_CORES = 0.05
MOST_REST_S = 60.0
_LEAST_S = 0.5
"""Minimum seconds of repeating a request, because CPU times have a resolution of 10 ms."""
_MS = 10**6
_RANGE = {"since": str(FIRST_NS // _MS), "until": str((FIRST_NS + DAYS * DAY) // _MS)}
_BY_DAY = {"interval": "1d", "timezone": "Europe/Berlin"}
_RUNS = "count,rate(has_error),sum(cost),sum(input_tokens),sum(output_tokens)"
_ALL = {"metrics": f"{_RUNS},p50(duration),p95(duration)"}
_CALLS = {
    "of": "steps",
    "where": "type = model",
    "metrics": "sum(cost),count,sum(tokens),rate(error),p95(duration)",
}
_TOOLS = {
    "of": "steps",
    "where": "type = tool",
    "metrics": "count,rate(error),p50(duration),p95(duration)",
}
_FAILED = {"where": "has_error", "metrics": "count,sum(cost),p95(duration)"}
_LED = {"metrics": "count,rate(has_error),sum(cost),p95(duration)"}

Asked = dict[str, str]
CHART: Mapping[str, Asked] = {"over time": {**_ALL, **_BY_DAY}, "totals": _ALL}
"""The statistics that the overview needs for its charts."""
OVERVIEW: Mapping[str, Asked] = {
    **CHART,
    "first token": {"of": "steps", "where": "type = model", "metrics": "p50(first_token)"},
    "agents": {**_CALLS, "by": "owner", "top": "8"},
    "models": {**_CALLS, "by": "model", "top": "8"},
    "tools": {**_TOOLS, "by": "name", "top": "8"},
    "failures": {**_FAILED, "by": "error_type", "top": "8"},
    "users": {**_LED, "by": "user", "top": "8"},
    "releases": {**_LED, "by": "release", "top": "8"},
    "services": {**_LED, "by": "service", "top": "8"},
}
HISTOGRAM = {"metrics": "count,rate(has_error)", **_BY_DAY}


class Taken(NamedTuple):
    """CPU milliseconds of each request, and the time of the statistics of the first chart."""

    overview: Mapping[str, float]
    runs_ms: float
    histogram_ms: float
    chart_s: float


def measure_overview(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows for the overview's costliest request, a list with its histogram, and a chart."""
    steps = run_apart(fill_runs, folder / "data" / "store", scale.asked_runs, scale.quiet_s)
    with started(folder / "data", ["--no-search"]) as (pid, addresses):
        taken = _ask(pid, addresses["api"], scale)
    behind = f"{', '.join(f'{name} {ms:.0f}' for name, ms in taken.overview.items())} ms"
    what = f"of {scale.asked_runs:,} runs, {steps:,} steps"
    dearest = max(taken.overview.values())
    yield Row("overview: the dearest request", dearest, at_most(MAX_REQUEST_MS, "ms"), what, behind)
    both = taken.runs_ms + taken.histogram_ms
    behind = f"CPU; its page {taken.runs_ms:.0f} ms, its histogram {taken.histogram_ms:.0f} ms"
    yield Row("a list with its histogram", both, at_most(MAX_LIST_MS, "ms"), behind)
    behind = "from request to answer, by the clock"
    yield Row("overview: first chart", taken.chart_s, at_most(MAX_CHART_S, "s"), behind)


def _ask(pid: int, api: str, scale: Scale) -> Taken:
    with httpx.Client(base_url=api, timeout=60) as client:

        def ask(path: str, asked: Asked) -> None:
            client.get(path, params={**_RANGE, **asked}).raise_for_status()

        def cost_ms(path: str, asked: Asked) -> float:
            ask(path, asked)
            times, began, before = 0, time.monotonic(), tree_cpu_s(pid)
            while times < scale.asked_times or time.monotonic() - began < _LEAST_S:
                ask(path, asked)
                times += 1
            return (tree_cpu_s(pid) - before) * 1e3 / times

        _wait_for_rest(pid, scale.rest_s)
        overview = {name: cost_ms("/v1/stats", asked) for name, asked in OVERVIEW.items()}
        runs_ms = cost_ms("/v1/trajectories", {"limit": "50"})
        histogram_ms = cost_ms("/v1/stats", HISTOGRAM)
        began = time.monotonic()
        with ThreadPoolExecutor() as threads:
            list(threads.map(lambda asked: ask("/v1/stats", asked), CHART.values()))
        return Taken(overview, runs_ms, histogram_ms, time.monotonic() - began)


def _wait_for_rest(pid: int, rest_s: float) -> None:
    """Wait until the service has finished the work after its start."""
    until = time.monotonic() + MOST_REST_S
    while time.monotonic() < until:
        before = tree_cpu_s(pid)
        time.sleep(rest_s)
        if tree_cpu_s(pid) - before < AT_REST_CORES * rest_s:
            return
