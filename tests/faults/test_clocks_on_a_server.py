"""Clocks of roles may be wrong: retention and deletions use only the ClickHouse server's clock."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import shifted_clock
from tests.support.started_server import started_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.conftest import StartSpanloom
    from tests.support.started_server import StartedServer

pytestmark = [pytest.mark.service, pytest.mark.nightly]

DAY_S = 24 * 3600
TERMS = "[projects.short]\nspans_days = 2\n"
REMOVED_S = 60.0


@pytest.fixture
def server(tmp_path: Path, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server", made=made_server) as started:
        yield started


def clock(tmp_path: Path, ahead_s: float) -> Sequence[str]:
    """Return the program arguments that start ``spanloom`` with a clock ``ahead_s`` ahead."""
    file = tmp_path / f"ahead {ahead_s:g}"
    file.write_text(str(int(ahead_s * 1e9)))
    return (shifted_clock.__file__, str(file))


@pytest.mark.nightly
def test_a_keeper_ahead_of_the_server_removes_nothing_early(
    start_spanloom: StartSpanloom, server: StartedServer, tmp_path: Path
) -> None:
    data = tmp_path / "keeper"
    data.mkdir()
    start_spanloom("keeper", f"--store-url={server.url()}", data_dir=data, bare=True).stop()
    client = server.client()
    for span, days in (("old", 9), ("new", 0)):
        client.command(
            "INSERT INTO otel_traces (Project, TraceId, SpanId, AcceptedAt)"
            f" VALUES ('short', 'trace', '{span}', now64(9) - INTERVAL {days} DAY)"
        )
    (data / "retention.toml").write_text(TERMS)
    entry = clock(tmp_path, 5 * DAY_S)
    start_spanloom("keeper", f"--store-url={server.url()}", data_dir=data, bare=True, entry=entry)
    until = time.monotonic() + REMOVED_S
    while (left := client.query("SELECT SpanId FROM otel_traces").result_rows) != [("new",)]:
        assert ("new",) in left
        assert time.monotonic() < until, left
        time.sleep(0.1)


@pytest.mark.nightly
@pytest.mark.parametrize("ahead_s", [-300.0, 300.0])
def test_a_deletion_has_the_time_of_the_server(
    start_spanloom: StartSpanloom, server: StartedServer, tmp_path: Path, ahead_s: float
) -> None:
    entry = clock(tmp_path, ahead_s)
    for role in ("keeper", "api"):
        part = start_spanloom(
            role,
            f"--store-url={server.url()}",
            data_dir=tmp_path / role,
            bare=True,
            entry=entry,
        )
        part.wait_until_ready()
    before_s = time.time()
    answer = httpx.post(f"{part.api}/v1/deletions", params={"trace_id": "ab" * 16}, timeout=20)
    assert answer.status_code == 200, answer.text
    [(requested_ns, until_seq)] = (
        server.client().query("SELECT RequestedAtUnixNano, UntilSeq FROM deletions").result_rows
    )
    for at_s in (requested_ns / 1e9, until_seq / 1e6):
        assert before_s - 1 <= at_s <= time.time() + 1
