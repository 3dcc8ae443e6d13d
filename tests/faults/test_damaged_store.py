"""F4, F5: parts of the store that a failing disk breaks are set aside and reported; all else works.

The tests zero parts, as a power loss does on a disk that falsely reports writes as done. On other
disks a power loss destroys no part, because every table is fsynced before a record leaves the spool
(``test_schema.py``).
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.support.ledger import Ledger, Outcome, Request, make_requests
from tests.support.senders import GrpcClient
from tests.support.settling import check_api

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
NO_PORTS = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")
A_MONTH_NS = 31 * 86_400 * 10**9
BROKEN = 150
"""Number of broken parts: more than 100, the engine's default bound for opening a table."""


def send(spanloom: RunningSpanloom, ledger: Ledger, requests: list[Request]) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for request in requests:
        assert client.send(request) is Outcome.ACKNOWLEDGED
        ledger.note(request, Outcome.ACKNOWLEDGED)
    client.close()


def take(requests: Iterator[Request], count: int, later_ns: int = 0) -> list[Request]:
    """Return the next requests, with spans that start ``later_ns`` later."""
    return [
        tuple(span._replace(start_ns=span.start_ns + later_ns) for span in next(requests))
        for _ in range(count)
    ]


@pytest.fixture
def used(start_spanloom: StartSpanloom) -> tuple[Ledger, list[Request]]:
    """Return a stopped service's ledger of one month, and requests of the next, all stored."""
    ledger, all_sent = Ledger(), Ledger()
    spanloom = start_spanloom(*QUICK)
    send(spanloom, ledger, take(make_requests("kept"), 30))
    newest = take(make_requests("newest"), 10, A_MONTH_NS)
    for request in ledger.requests(Outcome.ACKNOWLEDGED):
        all_sent.note(request, Outcome.ACKNOWLEDGED)
    send(spanloom, all_sent, newest)
    check_api(spanloom.api, all_sent.account())
    assert spanloom.stop() == 0
    return ledger, newest


def test_broken_parts_are_set_aside_and_told_and_all_else_goes_on(
    used: tuple[Ledger, list[Request]],
    start_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path: Path,
) -> None:
    ledger, newest = used
    for request in newest:
        ledger.note(request, Outcome.UNKNOWN)
    tables = tmp_path / "data" / "store" / "data" / "default"
    zeroed = zero_parts((tables / "otel_traces").resolve(), "202511_")
    assert zeroed
    add_broken_parts((tables / "otel_traces").resolve(), BROKEN)
    spanloom = start_spanloom(*QUICK)
    send(spanloom, ledger, take(make_requests("after"), 5))
    assert "parts of tables are broken and set aside: see `spanloom doctor`" in spanloom.log
    assert f'"parts": {len(zeroed) + BROKEN}' in spanloom.log
    told = run_spanloom("doctor", f"--data-dir={tmp_path / 'data'}", f"--api-url={spanloom.api}")
    assert told.returncode == 1
    assert f"{len(zeroed) + BROKEN} parts" in told.stdout
    check_api(spanloom.api, ledger.account())
    send(spanloom, ledger, newest)  # lost spans can be sent again
    check_api(spanloom.api, ledger.account())
    assert spanloom.stop() == 0


def zero_parts(table: Path, prefix: str = "") -> list[Path]:
    """Zero the files of a table's parts whose names have the prefix; return these parts."""
    parts = [p for p in parts_of(table) if p.name.startswith(prefix)]
    for part in parts:
        for file in part.iterdir():
            file.write_bytes(bytes(file.stat().st_size))
    return parts


def add_broken_parts(table: Path, count: int) -> None:
    """Copy a part ``count`` times under unused numbers, and zero the copies."""
    [part, *_] = parts_of(table)
    month = part.name.partition("_")[0]
    for number in range(10_000, 10_000 + count):
        copy = table / f"{month}_{number}_{number}_0"
        shutil.copytree(part, copy)
        for file in copy.iterdir():
            file.write_bytes(bytes(file.stat().st_size))


def parts_of(table: Path) -> list[Path]:
    return [path for path in table.iterdir() if (path / "columns.txt").exists()]


def test_a_store_that_cannot_be_opened_is_one_line(
    start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    assert start_spanloom(*QUICK).stop() == 0
    for definition in (tmp_path / "data/store/metadata/default").resolve().iterdir():
        definition.write_bytes(bytes(definition.stat().st_size))
    ended = run_spanloom("serve", f"--data-dir={tmp_path / 'data'}", *NO_PORTS)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "restore a backup" in ended.stderr.splitlines()[-1]  # the engine names the file
