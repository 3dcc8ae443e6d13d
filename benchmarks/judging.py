"""Judging a long run: what the service takes to tell what was said of it, and to store a mark.

Acceptance 10 of the annotation document: over a run of 100,000 steps, opening the panel and saving
one mark at most 100 ms each; what several annotators say comes in one answer. The page's own part
is in ``viewer.py``.
"""

from __future__ import annotations

import time
from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import httpx

from benchmarks.apart import Usage, run_apart
from benchmarks.load import send_all, write_requests
from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, START_NS, agent_trace, wrap
from spanloom.api.annotators import HEADER
from spanloom.config import Settings
from spanloom.memory import favour_speed
from spanloom.process.wiring import Service
from spanloom.telemetry import configure_logging

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

BAR_MS = 100.0
ANNOTATORS = ("ada", "bo", "cy", "di", "eve")
MARKS_EACH = 1_000
TIMES = 10
SCHEME = "potato"
_SPANS_PER_REQUEST = 500
_WAIT_S = 600.0


class Taken(NamedTuple):
    """Milliseconds of one request: CPU of the service, and by the clock of who asks."""

    cpu_ms: float
    clock_ms: float


class Judged(NamedTuple):
    """What each request took."""

    opening: Taken
    mark: Taken
    overlay: Taken


def measure_judging(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows for opening the panel, for a mark, and for the marks of five people."""
    spans = agent_trace(Random(7), SMALL.text_chars, START_NS, turns=(scale.viewed_spans - 2) // 2)
    parts = range(0, len(spans), _SPANS_PER_REQUEST)
    write_requests(folder / "requests", [wrap(spans[at : at + _SPANS_PER_REQUEST]) for at in parts])
    judged: Judged = run_apart(judge, folder)
    what = f"judging a run of {len(spans):,} spans"
    for name, taken in (("the panel opens", judged.opening), ("a mark, stored", judged.mark)):
        behind = f"CPU of the service; by the clock {taken.clock_ms:.0f} ms"
        yield Row(f"{what}: {name}", taken.cpu_ms, at_most(BAR_MS, "ms"), behind)
    marks = f"{len(ANNOTATORS)} annotators, {MARKS_EACH:,} marks each, one answer"
    behind = f"{marks}; by the clock {judged.overlay.clock_ms:.0f} ms"
    yield Row(f"{what}: what all say", judged.overlay.cpu_ms, at_most(2 * BAR_MS, "ms"), behind)


def judge(folder: Path) -> Judged:
    """Be ``spanloom serve`` while another process sends the run, judges it and reads it."""
    configure_logging("warning")
    favour_speed()
    settings = Settings(data_dir=folder / "data", otlp_grpc_port=0, otlp_http_port=0, api_port=0)
    with Service(settings) as service:
        run_apart(send_all, "gRPC", service.addresses["otlp_grpc"], folder / "requests")
        api = service.addresses["api"]
        path, steps = run_apart(wait_for_run, api)
        url = f"{api}{path}/annotations"
        run_apart(mark_each, url, steps[:1], ANNOTATORS[:1])  # keeps the version
        mark = _taken(mark_each, url, steps[1 : TIMES + 1], ANNOTATORS[:1])
        opening = _taken(read_all, url, ANNOTATORS[0])
        run_apart(mark_all, url, steps[TIMES + 1 :][:MARKS_EACH])
        return Judged(opening, mark, _taken(read_all, url, ""))


def _taken(act: object, *asked: object) -> Taken:
    """Return what one of an act's requests takes; they follow each other in another process."""
    start = Usage.now()
    clocks: Sequence[float] = run_apart(act, *asked)  # type: ignore[arg-type]
    return Taken(Usage.now().since(start).cpu_s * 1e3 / len(clocks), median(clocks) * 1e3)


def wait_for_run(api: str) -> tuple[str, list[str]]:
    """Wait until the run has settled; give its path and the ids of its steps."""
    until = time.monotonic() + _WAIT_S
    while time.monotonic() < until:
        found = httpx.get(f"{api}/v1/trajectories?status=settled").json()["items"]
        if found:
            path = f"/v1/trajectories/{found[0]['trace_id']}"
            document = httpx.get(f"{api}{path}", timeout=_WAIT_S).json()
            agents = document["agent_steps"]
            return path, [step["id"] for agent in agents for step in agent["steps"]]
        time.sleep(1)
    raise TimeoutError(f"the run has not settled after {_WAIT_S:g} s")


def mark_each(url: str, steps: Sequence[str], names: Sequence[str]) -> list[float]:
    """Judge steps one by one; give the seconds of each request."""
    return _post(url, [([step], name) for name in names for step in steps])


def mark_all(url: str, steps: Sequence[str]) -> list[float]:
    """Judge the steps by every annotator, a request for each."""
    return _post(url, [(steps, name) for name in ANNOTATORS])


def read_all(url: str, name: str) -> list[float]:
    """Ask what is said, by one annotator or by all; give the seconds of each request."""
    asked = {"scheme": SCHEME, **({"annotator": name} if name else {})}
    with httpx.Client(timeout=_WAIT_S) as client:
        return [
            _clocked(client.build_request("GET", url, params=asked), client) for _ in range(TIMES)
        ]


def _post(url: str, writes: Sequence[tuple[Sequence[str], str]]) -> list[float]:
    clocks = []
    with httpx.Client(timeout=_WAIT_S) as client:
        for steps, name in writes:
            items = [
                {"write_id": f"{name}-{step}", "step_id": step, "correctness": "correct"}
                for step in steps
            ]
            body = {"scheme": SCHEME, "items": items}
            request = client.build_request("POST", url, json=body, headers={HEADER: name})
            clocks.append(_clocked(request, client))
    return clocks


def _clocked(request: httpx.Request, client: httpx.Client) -> float:
    start = time.monotonic()
    client.send(request).raise_for_status()
    return time.monotonic() - start
