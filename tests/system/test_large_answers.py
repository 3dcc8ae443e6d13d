"""Answers far larger than memory may hold: documents in every form, an export, a frame of rows.

By default the answers are smaller, but larger than a service or a client may grow by; the slow
tests use the sizes of the acceptance: 1 GB, and 250,000 rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.filled_store import fill_store
from tests.support.memory_of import Growth, peak_bytes
from tests.support.programs import clean_environment

from spanloom import Client
from spanloom.api.rows.arrow import ArrowStream, Parquet
from spanloom.api.rows.forms import Ndjson

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 2**20
DOCUMENT = 400_000
DOCUMENTS = [450, pytest.param(2_700, marks=(pytest.mark.slow, pytest.mark.timeout(900)))]
"""Numbers of documents: 180 MB of them, and more than 1 GB."""
ROWS = [12_000, pytest.param(250_000, marks=(pytest.mark.slow, pytest.mark.timeout(900)))]
"""Numbers of rows: more than a page has, and more than one scan of candidates reads."""
MOST_GROWTH = 170 * MIB
"""Limit of the service's growth: less than 200 MB, and less than the smaller answer as a whole."""
MOST_OF_A_CLIENT = 150 * MIB
PATH = "/v1/trajectories?fields=core,document"


def filled(start: StartSpanloom, place: Path, runs: int, size: int) -> RunningSpanloom:
    fill_store(place, runs, size)
    service = start("serve", "--no-search", data_dir=place)
    service.wait_until_ready()
    return service


@pytest.mark.nightly
@pytest.mark.parametrize("count", DOCUMENTS)
def test_documents_of_any_size_go_through_little_memory(
    start_spanloom: StartSpanloom, tmp_path: Path, count: int
) -> None:
    service = filled(start_spanloom, tmp_path / "filled", count, DOCUMENT)
    pull(f"{service.api}{PATH}&limit=50", Ndjson.media_type)
    growth = Growth(service.process.pid)
    lines, last = pull(f"{service.api}{PATH}", Ndjson.media_type)
    assert lines > count * DOCUMENT
    assert last.endswith(b'{"end":true,"count":%d}\n' % count)
    for form in (ArrowStream, Parquet):
        size, _ = pull(f"{service.api}{PATH}", form.media_type)
        assert size > count * DOCUMENT / 3
    assert growth.at_most() <= MOST_GROWTH
    file = tmp_path / "runs.jsonl"
    assert export(service, file) <= MOST_OF_A_CLIENT
    assert file.stat().st_size > count * DOCUMENT
    with file.open("rb") as written:
        assert sum(1 for _ in written) == count


def pull(url: str, form: str) -> tuple[int, bytes]:
    """Return the size and the last bytes of an answer, without holding all of it in memory."""
    size, last = 0, b""
    headers = {"accept": form, "accept-encoding": "identity"}
    with httpx.stream("GET", url, headers=headers, timeout=120) as answer:
        assert answer.status_code == httpx.codes.OK
        for piece in answer.iter_bytes():
            size, last = size + len(piece), (last + piece)[-100:]
    return size, last


def export(service: RunningSpanloom, file: Path) -> int:
    """Export all runs to a file; return the peak memory of the command."""
    asked = ("export", "--format", "jsonl", "-o", str(file), "--api-url", service.api)
    command = [sys.executable, "-m", "spanloom", *asked]
    peak = 0
    with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, peak_bytes(process.pid))
            time.sleep(0.01)
    assert process.returncode == os.EX_OK
    return peak


@pytest.mark.nightly
@pytest.mark.parametrize("count", ROWS)
def test_rows_of_any_number_become_one_frame(
    start_spanloom: StartSpanloom, tmp_path: Path, count: int
) -> None:
    service = filled(start_spanloom, tmp_path / "filled", count, 10)
    with Client(service.api) as client:
        frame = client.trajectories().to_polars()
        steps = client.steps("type = model", limit=None).to_polars("trace_id,input_tokens")
    assert frame.height == steps.height == count
    numbers = [int(trace_id, 16) for trace_id in frame["trace_id"]]
    assert all(a > b for a, b in pairwise(numbers))  # newest first, each once
    assert steps["trace_id"].n_unique() == count
    assert steps["input_tokens"].sum() == 10 * count
