"""Captured runs of real SDKs, repeated with fresh ids at increasing times."""

from __future__ import annotations

import json
from itertools import accumulate, cycle
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.workload import SECOND, START_NS
from spanloom.demo.recording import Recording, refresh

if TYPE_CHECKING:
    from collections.abc import Iterator

CAPTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "captures"
APART_NS = 3600 * SECOND
"""Longer than any run, so that no copy of a call counts as a duplicate of another copy."""


def captured_requests(span_count: int, seed: int = 7) -> Iterator[ExportTraceServiceRequest]:
    """Yield requests of all captured runs in turn, with at least ``span_count`` spans in total."""
    random = Random(seed)
    given = 0
    for n, run in enumerate(cycle(_load_runs())):
        if given >= span_count:
            return
        copy = refresh(run, START_NS + n * APART_NS, random.randbytes)
        given += copy.span_count
        yield from copy.requests


def _load_runs() -> Iterator[Recording]:
    """Yield the captured runs, each loaded on demand, because quick measurements need few."""
    return (_load_run(path) for path in sorted(CAPTURES.glob("*/*.binpb")) if _is_trace(path))


def _is_trace(path: Path) -> bool:
    return not path.name.endswith(".logs.binpb")


def _load_run(path: Path) -> Recording:
    sizes = json.loads(path.with_suffix(".expect.json").read_text())["request_sizes"]
    data, ends = path.read_bytes(), list(accumulate(sizes))
    requests = tuple(
        ExportTraceServiceRequest.FromString(data[start:end])
        for start, end in zip([0, *ends], ends, strict=False)
    )
    return Recording(path.stem, path.parent.name, requests)
