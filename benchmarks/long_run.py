"""Measures a long run from outside: sent over gRPC to ``spanloom serve``, until it can be read.

Time and memory are those of the command's whole process tree, as an operator sees them; memory is
the sum of the peaks of all processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import httpx

from benchmarks.load import open_sender
from benchmarks.report import Row, at_most
from benchmarks.workload import START_NS, TINY, agent_trace, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.scale import Scale

MAX_MIB, MAX_S = 700.0, 12.0
SPANS_PER_REQUEST = 1_000
SENDERS = 2
_LOOK_S = 0.5
_WAIT_S = 600.0
_PORTS = ("--api-port=0", "--otlp-grpc-port=0", "--otlp-http-port=0")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Taken(NamedTuple):
    """The cost of a run for ``spanloom serve``."""

    whole_s: float
    cpu_s: float
    peak_mib: float


def measure_long_run(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield a row for time and one for memory, for each number of workers."""
    spans = agent_trace(Random(7), TINY.text_chars, START_NS, turns=(scale.long_trace - 2) // 2)
    requests = [
        wrap(spans[first : first + SPANS_PER_REQUEST])
        for first in range(0, len(spans), SPANS_PER_REQUEST)
    ]
    trace_id, count = spans[0].trace_id.hex(), len(spans)
    for workers in scale.long_workers:
        runs = []
        for n in range(scale.repeats):
            options = [] if workers == "default" else [f"--extract-workers={workers}"]
            with started(folder / f"{workers}-{n}", options) as (pid, addresses):
                runs.append(_take(pid, addresses, requests, trace_id, count, scale.indexed_s))
        what = f"a run of {count:,} spans, {workers} workers"
        behind = f"{median(run.cpu_s for run in runs):.1f} CPU-s of all processes"
        yield Row(f"{what}: whole", min(r.whole_s for r in runs), at_most(MAX_S, "s"), behind)
        peak = max(run.peak_mib for run in runs)
        yield Row(f"{what}: most memory", peak, at_most(MAX_MIB, "MiB"), "of all processes")


def _take(
    pid: int,
    addresses: Mapping[str, str],
    requests: Sequence[bytes],
    trace_id: str,
    count: int,
    indexed_s: float,
) -> Taken:
    cpu_s, began = tree_cpu_s(pid), time.monotonic()
    _send(addresses["otlp_grpc"], requests)
    where = {"limit": "1", "where": f'trace_id = "{trace_id}"'}
    with httpx.Client(base_url=addresses["api"], timeout=60) as api:
        while not _is_whole(api, where, count):
            if time.monotonic() - began > _WAIT_S:
                raise TimeoutError(f"the run is not whole after {_WAIT_S:g} s")
            time.sleep(_LOOK_S)
    whole_s = time.monotonic() - began
    cpu_s = tree_cpu_s(pid) - cpu_s
    time.sleep(indexed_s)
    return Taken(whole_s, cpu_s, tree_peak_mib(pid))


def _is_whole(api: httpx.Client, where: Mapping[str, str], count: int) -> bool:
    items = api.get("/v1/trajectories", params=where).raise_for_status().json()["items"]
    return bool(items) and items[0]["span_count"] == count


def _send(address: str, requests: Sequence[bytes]) -> None:
    """Send the requests in order with several senders, each of which waits for its responses."""
    left = deque(requests)

    def send_some() -> None:
        with open_sender("gRPC", address) as send:
            while left:
                send(left.popleft())

    with ThreadPoolExecutor(SENDERS) as threads:
        for sender in [threads.submit(send_some) for _ in range(SENDERS)]:
            sender.result()


@contextmanager
def started(data_dir: Path, options: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Start ``spanloom serve``; yield its process id and its addresses."""
    command = [sys.executable, "-m", "spanloom", "serve", *_PORTS, f"--data-dir={data_dir}"]
    with subprocess.Popen(  # our own program
        [*command, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as service:
        try:
            assert service.stdout is not None
            yield service.pid, json.loads(service.stdout.readline())
        finally:
            service.terminate()


def tree_cpu_s(pid: int) -> float:
    """Return the CPU-seconds of a process and all its running descendants."""
    return sum(_cpu_s(each) for each in _tree(pid))


def tree_peak_mib(pid: int) -> float:
    """Return the sum of the peak memory of a process and of its running descendants."""
    return sum(_peak_kib(each) for each in _tree(pid)) / 1024


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            yield from _tree(child)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def _peak_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
