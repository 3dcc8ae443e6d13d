"""Normalizing and building one trace of 50 spans without any store: the cost of the pure core."""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING

from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import with_projects

from benchmarks.report import Row, at_most
from benchmarks.workload import SMALL, START_NS, agent_trace, wrap
from spanloom.core.extract import extract
from spanloom.core.ports.spans import SpooledRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale

SPANS = 50
MAX_MS = 2.0
_ROUNDS = 200
_REPEATS = 5


def measure_building(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield one row: CPU milliseconds per trace, the minimum of several repeats."""
    store = MemoryStore()
    spans = agent_trace(Random(7), SMALL.text_chars, START_NS, turns=(SPANS - 2) // 2)
    store.spans.append([SpooledRequest(1, "", 1, with_projects(wrap(spans)), len(spans))])
    [(key, stored)] = store.spans.read_spans([c.key for c in store.progress.unextracted()]).items()
    rounds = max(_ROUNDS // (1 if scale.repeats > 1 else 10), 1)
    best_s = float("inf")
    for _ in range(_REPEATS):
        start = time.thread_time()
        for _ in range(rounds):
            extract(key, stored)
        best_s = min(best_s, (time.thread_time() - start) / rounds)
    yield Row(
        f"building a trace of {len(stored)} spans: normalized and built",
        best_s * 1_000,
        at_most(MAX_MS, "ms"),
        f"{best_s / len(stored) * 1e6:.1f} µs a span; the best of {_REPEATS} times {rounds} rounds",
    )
