"""Extractors that share a ClickHouse server: their progress, their slices, and sending captures."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import httpx
from tests.support.sent_captures import SENDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom
    from tests.support.ground_truth import Capture

AWAIT_S = 120.0


class Sharing(NamedTuple):
    """The running processes."""

    collects: Sequence[RunningSpanloom]
    extracts: Sequence[RunningSpanloom]
    api: RunningSpanloom

    def read(self) -> float:
        """Return the number of spans read by all extractors."""
        return sum(metric(part, "spanloom_spans_extracted_total") for part in self.extracts)

    def pending(self) -> float:
        """Return the number of traces waiting at the extractors."""
        return sum(metric(part, "spanloom_traces_pending") for part in self.extracts)

    def send(self, captures: Sequence[Capture], pause_s: float = 0) -> int:
        """Send several runs concurrently, the requests of each to the collectors in turn.

        Returns the number of spans.
        """

        def send(capture: Capture) -> int:
            for n, body in enumerate(capture.requests()):
                _post(self.collects[n % len(self.collects)], body)
                time.sleep(pause_s)
            return sum(capture.spans_by_trace.values())

        with ThreadPoolExecutor(SENDERS) as senders:
            return sum(senders.map(send, captures))

    def await_shown(self, spans_by_trace: Mapping[str, int]) -> None:
        """Wait until every trace shows all its spans, settled."""
        with httpx.Client(base_url=self.api.api, timeout=20) as api:
            for trace_id, count in spans_by_trace.items():
                until(partial(_shows, api, trace_id, count), trace_id)


def start_sharing(
    start_spanloom: StartSpanloom,
    url: str,
    place: Path,
    extracts: int,
    *flags: str,
    env: Mapping[str, str] | None = None,
) -> Sharing:
    """Start a keeper, then two collectors, some extractors with these flags, and an API.

    The collectors have their spools below ``place``.
    """

    def start(role: str, name: str, *flags: str) -> RunningSpanloom:
        part = start_spanloom(
            role, f"--store-url={url}", *flags, env=env, data_dir=place / name, bare=True
        )
        part.wait_until_ready()
        return part

    start("keeper", "keeper")
    return Sharing(
        [start("collect", f"collect-{n}") for n in range(2)],
        [start("extract", f"extract-{n}", *flags) for n in range(extracts)],
        start("api", "api"),
    )


def metric(part: RunningSpanloom, name: str) -> float:
    """Return a metric of a process, named with its labels; 0 if it does not exist."""
    text = httpx.get(f"{part.api}/metrics", timeout=20).text
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def held(part: RunningSpanloom, work: str = "extract") -> float:
    """Return the number of slices that a process works on."""
    return metric(part, f'spanloom_slices{{work="{work}"}}')


def until(is_so: Callable[[], bool], what: str, most_s: float = AWAIT_S) -> float:
    """Wait until a condition holds; return the elapsed seconds."""
    began = time.monotonic()
    while not is_so():
        assert time.monotonic() - began < most_s, what
        time.sleep(0.1)
    return time.monotonic() - began


def _post(collect: RunningSpanloom, body: bytes) -> None:
    url = f"{collect.addresses['otlp_http']}/v1/traces"
    headers = {"Content-Type": "application/x-protobuf"}
    assert httpx.post(url, content=body, headers=headers, timeout=20).status_code == 200


def _shows(api: httpx.Client, trace_id: str, span_count: int) -> bool:
    found = api.get(f"/v1/trajectories/{trace_id}")
    if found.status_code != 200:
        return False
    extraction = found.json()["extraction"]
    return bool(extraction["span_count"] == span_count and extraction["status"] != "live")
