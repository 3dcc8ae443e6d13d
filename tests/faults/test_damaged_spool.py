"""F6: of a damaged spool every readable record is stored, or one line says what to do."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support import refusing_store
from tests.support.ledger import Ledger, Outcome, Request, SentSpan
from tests.support.senders import GrpcClient
from tests.support.settling import check_api

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom

PAGE = 65_536
REQUESTS, NAME_BYTES = 40, 20_000
"""Number of requests, and the size of each, of which three fit a page."""
QUICK = ("serve", "--batch-wait-s=0.05", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
PATIENT = ("serve", "--batch-wait-s=3600")
"""A command that leaves acknowledged requests in the spool."""
NO_PORTS = ("--otlp-grpc-port=0", "--otlp-http-port=0", "--api-port=0")


def requests_named(name: str) -> list[Request]:
    spans = [
        SentSpan(f"{n + 1:032x}", f"{n + 1:016x}", "", f"{name} {n:04} " + "x" * NAME_BYTES, 10**18)
        for n in range(REQUESTS)
    ]
    return [(span,) for span in spans]


def send(spanloom: RunningSpanloom, requests: list[Request]) -> None:
    client = GrpcClient(spanloom.addresses["otlp_grpc"], packed=False)
    for request in requests:
        assert client.send(request) is Outcome.ACKNOWLEDGED
    client.close()


@pytest.fixture(scope="module")
def killed(start_shared_spanloom: StartSpanloom) -> Path:
    """Return the directory of a killed service whose spool, with its log, has all requests."""
    spanloom = start_shared_spanloom(*PATIENT)
    send(spanloom, requests_named("waiting"))
    assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    return Path(spanloom.addresses["data_dir"])


@pytest.fixture
def data(killed: Path, tmp_path: Path) -> Path:
    """Return a copy of the directory of the fixture ``killed``, for a test to damage."""
    return shutil.copytree(killed, tmp_path / "data", symlinks=True)


def without_log(data: Path) -> bytearray:
    """Let SQLite move its log into the spool's file; return the content of the file."""
    with closing(sqlite3.connect(data / "spool.sqlite")) as spool:
        spool.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return bytearray((data / "spool.sqlite").read_bytes())


def zero_a_page(data: Path) -> set[int]:
    return _spoil_page(data, slice(0, PAGE), bytes(PAGE))


def flip_a_bit(data: Path) -> set[int]:
    """Damage the offset of the first record in a page's list; return the damaged records."""
    return _spoil_page(data, slice(8, 9), b"\xff")


def cut_off(data: Path) -> set[int]:
    content = without_log(data)
    end = len(content) * 2 // 3 // PAGE * PAGE
    (data / "spool.sqlite").write_bytes(content[:end])
    return {n for n in range(REQUESTS) if place(content, n) >= end}


def add_to_the_log(data: Path) -> set[int]:
    """Append garbage to the log, like a torn write; return the damaged records: none."""
    log = data / "spool.sqlite-wal"
    assert log.stat().st_size > REQUESTS * NAME_BYTES
    with log.open("ab") as file:
        file.write(b"\xa5" * (PAGE + 24))
    return set()


def _spoil_page(data: Path, where: slice, what: bytes) -> set[int]:
    content = without_log(data)
    start = place(content, REQUESTS // 2) // PAGE * PAGE
    damaged = {n for n in range(REQUESTS) if place(content, n) // PAGE * PAGE == start}
    page = content[start : start + PAGE]
    page[where] = what
    content[start : start + PAGE] = page
    (data / "spool.sqlite").write_bytes(content)
    return damaged


def place(content: bytearray, number: int) -> int:
    found = content.find(b"waiting %04d " % number)
    assert found >= 0
    return found


@pytest.mark.parametrize("damage", [zero_a_page, flip_a_bit, cut_off, add_to_the_log])
def test_every_record_that_is_not_damaged_is_stored(
    damage: Callable[[Path], set[int]],
    data: Path,
    start_spanloom: StartSpanloom,
) -> None:
    damaged = damage(data)
    ledger = ledger_of(requests_named("waiting"), damaged)
    spanloom = start_spanloom(*QUICK, data_dir=data)
    later: Request = (SentSpan("f" * 32, "f" * 16, "", "later", 10**18),)
    send(spanloom, [later])
    ledger.note(later, Outcome.ACKNOWLEDGED)
    check_api(spanloom.api, ledger.account())
    assert spanloom.stop() == 0
    assert len(damaged) < REQUESTS // 2
    assert ('"the spool was damaged; its readable records' in spanloom.log) is bool(damaged)


@pytest.mark.nightly
def test_without_its_log_the_spool_has_what_was_in_the_file(
    data: Path, start_spanloom: StartSpanloom
) -> None:
    without_log(data)
    first = start_spanloom(*PATIENT, data_dir=data)
    (data / "spool.sqlite-wal").unlink()
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    second = start_spanloom(*QUICK, data_dir=data)
    check_api(second.api, ledger_of(requests_named("waiting"), set()).account())
    assert second.stop() == 0


@pytest.mark.nightly
def test_damage_under_a_running_service_ends_it_and_the_next_start_mends(
    data: Path, start_spanloom: StartSpanloom, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    """Otherwise the first damaged page would block all later records from the store."""
    order = tmp_path / "order"
    order.write_text("everything")
    without_log(data)
    first = start_spanloom(*QUICK, data_dir=data, entry=(refusing_store.__file__, str(order)))
    damaged = spoil_under(data)
    once_more: Request = (SentSpan("e" * 32, "e" * 16, "", "once more", 10**18),)
    send(first, [once_more])  # makes SQLite read the file again
    assert first.process.wait(30) == 1
    assert "is damaged, which the next start mends" in first.log.splitlines()[-1]
    ledger = ledger_of(requests_named("waiting"), damaged)
    ledger.note(once_more, Outcome.ACKNOWLEDGED)
    second = start_spanloom(*QUICK, data_dir=data)
    check_api(second.api, ledger.account())
    assert second.stop() == 0
    told = run_spanloom("doctor", f"--data-dir={data}", *NO_PORTS, "--json").stdout
    assert f"1 damaged file kept, the newest {data}/spool.sqlite.damaged-" in told


def spoil_under(data: Path) -> set[int]:
    """Zero a page in place, as a failing disk does; return the damaged records."""
    content = bytearray((data / "spool.sqlite").read_bytes())
    start = place(content, REQUESTS // 2) // PAGE * PAGE
    with (data / "spool.sqlite").open("r+b") as file:
        file.seek(start)
        file.write(bytes(PAGE))
    return {n for n in range(REQUESTS) if place(content, n) // PAGE * PAGE == start}


def test_a_file_of_which_nothing_can_be_read_is_refused_in_one_line(
    data: Path, run_spanloom: RunSpanloom, start_spanloom: StartSpanloom
) -> None:
    content = without_log(data)
    (data / "spool.sqlite").write_bytes(b"\xa5" * len(content))
    ended = run_spanloom("serve", f"--data-dir={data}", *NO_PORTS, "--log-level=error")
    assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
    assert f"`mv {data}/spool.sqlite {data}/spool.sqlite.lost`" in ended.stderr
    (data / "spool.sqlite").rename(data / "spool.sqlite.lost")
    spanloom = start_spanloom(*QUICK, data_dir=data)
    send(spanloom, requests_named("anew")[:1])
    check_api(spanloom.api, ledger_of(requests_named("anew")[:1], set()).account())


def ledger_of(requests: list[Request], damaged: set[int]) -> Ledger:
    """Return a ledger of acknowledged requests, in which damaged ones may be lost."""
    ledger = Ledger()
    for number, request in enumerate(requests):
        kind = Outcome.UNKNOWN if number in damaged else Outcome.ACKNOWLEDGED
        ledger.note(request, kind)
    return ledger
