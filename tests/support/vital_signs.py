"""Watches the values that must not grow in a long run: memory, descriptors and backlog."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from statistics import linear_regression, median
from typing import TYPE_CHECKING, NamedTuple, Self

import httpx
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Sequence

MIB = 1 << 20
HOUR_S = 3600.0


class VitalSigns(NamedTuple):
    """One sample of ``/metrics``."""

    at_s: float
    """Monotonic time."""
    rss_bytes: float
    descriptors: float
    spool_records: float
    traces_pending: float


def look(client: httpx.Client) -> VitalSigns:
    """Read ``/metrics`` once, and a page of the list as a dashboard would."""
    client.get("/v1/trajectories", params={"limit": 50}).raise_for_status()
    text = client.get("/metrics").raise_for_status().text
    values = {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    return VitalSigns(
        time.monotonic(),
        values["process_resident_memory_bytes"],
        values["process_open_fds"],
        values["spanloom_spool_records"],
        values["spanloom_traces_pending"],
    )


class Watch:
    """A context manager that samples a service at regular intervals."""

    def __init__(self, api: str, every_s: float) -> None:
        self.seen: list[VitalSigns] = []
        self._client = httpx.Client(base_url=api, timeout=30)
        self._every_s = every_s
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._fault: Exception | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching; raise any error of the watcher."""
        self._left.set()
        self._thread.join()
        self._client.close()
        if self._fault is not None:
            raise self._fault

    def _run(self) -> None:
        try:
            while not self._left.wait(self._every_s):
                self.seen.append(look(self._client))
        except httpx.HTTPError as fault:
            self._fault = fault


def course_of_memory(signs: Sequence[VitalSigns], parts: int = 12) -> str:
    """Return the median MiB of each twelfth of the run, to explain a failing slope."""
    ends = [len(signs) * n // parts for n in range(parts + 1)]
    pieces = [signs[start:end] for start, end in pairwise(ends)]
    return " ".join(f"{median(s.rss_bytes for s in piece) / MIB:.0f}" for piece in pieces if piece)


def slope_per_hour(signs: Sequence[VitalSigns]) -> float:
    """Return the memory growth per hour, as a share of the median."""
    times = [sign.at_s for sign in signs]
    sizes = [sign.rss_bytes for sign in signs]
    return linear_regression(times, sizes).slope * HOUR_S / median(sizes)
