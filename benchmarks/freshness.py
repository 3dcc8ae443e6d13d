"""Freshness: the time from an acknowledgement until the API shows the spans, under steady load."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from statistics import quantiles
from typing import TYPE_CHECKING

from benchmarks.apart import run_apart
from benchmarks.report import Row, at_most
from benchmarks.steady import TICK_S, Watched, offer_and_watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_P95_S = 3.0
LIVE_FOR_S = 10.0
"""Delay of the root after its other spans, for runs that are watched while in progress."""
_START_S = 60.0


def measure_freshness(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield two rows, each with the 95th percentile: of ended runs, and of runs in progress."""
    rate, duration_s = scale.freshness_rate, scale.freshness_s
    with _serve(folder / "freshness") as addresses:
        ended = run_apart(offer_and_watch, addresses, rate, duration_s)
    yield _row(f"freshness at {rate:,} spans/s: root acknowledged → whole in the API, p95", ended)
    later = round(min(LIVE_FOR_S, 2 * duration_s) / TICK_S)
    with _serve(folder / "live") as addresses:
        live = run_apart(offer_and_watch, addresses, rate, duration_s, ("gRPC",), later, live=True)
    yield _row(f"live at {rate:,} spans/s: first spans acknowledged → in the API, p95", live)


def _row(what: str, seen: Watched) -> Row:
    percentiles = quantiles(seen.delays_s, n=100, method="inclusive")
    return Row(
        what,
        percentiles[94],
        at_most(MAX_P95_S, "s"),
        f"p50 {percentiles[49]:.2f} s, longest {seen.delays_s[-1]:.2f} s;"
        f" {len(seen.delays_s)} traces watched at {seen.sent_spans / seen.lasted_s:,.0f} spans/s",
    )


@contextmanager
def _serve(data_dir: Path) -> Iterator[dict[str, str]]:
    """Run ``spanloom serve`` as a user does, on free ports; yield its addresses."""
    ports = [f"--{name}-port=0" for name in ("otlp-grpc", "otlp-http", "api")]
    command = [sys.executable, "-m", "spanloom", "serve", f"--data-dir={data_dir}", *ports]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
            process.terminate()
            process.wait(_START_S)
        finally:
            process.kill()
