"""F27: an hour at 2,000 spans a second. Memory, descriptors, parts and lag stay flat; all arrives.

``pytest -m slow tests/faults/test_soak.py``; ``SPANLOOM_SOAK_S`` sets another length in seconds.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import pytest
from benchmarks.apart import run_apart
from benchmarks.steady import offer_and_watch
from benchmarks.workload import SPANS_PER_TRACE
from tests.support.counted import count_stored
from tests.support.vital_signs import (
    MIB,
    VitalSigns,
    Watch,
    course_of_memory,
    slope_per_hour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import StartSpanloom, Tell

RATE = 2_000
SOAK_S = float(os.environ.get("SPANLOOM_SOAK_S", "3600"))
WARM_UP = 1 / 3
"""Share of the run before the slope is measured, while the engine's caches and buffers fill."""
LOOKS = 240
MAX_SLOPE_PER_HOUR = 0.05
MAX_MORE_DESCRIPTORS = 20
MAX_PARTS = 300
MAX_LAG_S = 5.0


@pytest.mark.slow
@pytest.mark.timeout(SOAK_S + 600)
def test_an_hour_of_load_leaves_everything_flat(start_spanloom: StartSpanloom, tell: Tell) -> None:
    spanloom = start_spanloom("serve")
    with Watch(spanloom.api, every_s=SOAK_S / LOOKS) as watch:
        watched = run_apart(offer_and_watch, spanloom.addresses, RATE, SOAK_S, ("gRPC", "HTTP"))
    assert spanloom.stop() == 0
    stored = count_stored(Path(spanloom.addresses["data_dir"]))
    warm = watch.seen[int(len(watch.seen) * WARM_UP) :]
    lag_s = quantiles(watched.delays_s, n=100)
    tell(
        f"{watched.sent_spans:,} spans in {watched.lasted_s:,.0f} s: RSS {megabytes(warm[0])} to"
        f" {megabytes(warm[-1])} ({slope_per_hour(warm):+.1%} an hour), at most"
        f" {max(sign.rss_bytes for sign in watch.seen) / MIB:,.0f} MiB, by twelfths"
        f" {course_of_memory(watch.seen)}; descriptors"
        f" {span_of(warm)}; {stored.parts} parts in the largest table;"
        f" lag p50 {lag_s[49]:.2f} s, p99 {lag_s[98]:.2f} s"
    )
    assert stored.spans == watched.sent_spans
    assert stored.trajectories == watched.sent_spans // SPANS_PER_TRACE
    assert stored.parts < MAX_PARTS
    assert more_descriptors(warm) <= MAX_MORE_DESCRIPTORS
    assert lag_s[98] < MAX_LAG_S
    assert slope_per_hour(warm) < MAX_SLOPE_PER_HOUR


def megabytes(sign: VitalSigns) -> str:
    return f"{sign.rss_bytes / MIB:,.0f} MiB"


def span_of(signs: Sequence[VitalSigns]) -> str:
    counts = [int(sign.descriptors) for sign in signs]
    return f"{min(counts)} to {max(counts)}"


def more_descriptors(signs: Sequence[VitalSigns]) -> float:
    """Return the increase of open descriptors: the median of the last quarter less the first's.

    Medians are compared because merges of the engine open and close files all the time.
    """
    quarter = max(len(signs) // 4, 1)
    first, last = signs[:quarter], signs[-quarter:]
    return median(sign.descriptors for sign in last) - median(sign.descriptors for sign in first)
