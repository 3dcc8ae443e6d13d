"""One migration at a time: who waits, who takes over, and from whom."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import StartupError
from spanloom.storage.engine.lane import Lane
from spanloom.storage.engine.statements import query
from spanloom.storage.upkeep import lock as locks
from spanloom.storage.upkeep.lock import LEASE_S, MigrationLock

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

ELSEWHERE = "another-machine/1"


@pytest.fixture
def lane(fresh_database: Client) -> Lane:
    return Lane(fresh_database)


def leave_lock(lane: Lane, holder: str, ends: int) -> None:
    """Leave what a killed migration leaves."""
    lane.run(query("lock_migrations"))
    lane.run(query("renew_migrations"), holder=holder, ends=ends)


def is_held(lane: Lane) -> bool:
    return any(lane.rows("table_definitions", tables=[locks.LOCK]))


def test_the_lock_is_a_table_while_it_is_held(lane: Lane) -> None:
    with MigrationLock(lane).held() as renew:
        assert is_held(lane)
        renew()
    assert not is_held(lane)


def test_a_failed_migration_gives_the_lock_back(lane: Lane) -> None:
    with pytest.raises(ZeroDivisionError), MigrationLock(lane).held():
        raise ZeroDivisionError
    assert not is_held(lane)


def test_a_second_migration_waits_for_the_first(lane: Lane) -> None:
    order = []

    def second() -> None:
        with MigrationLock(lane).held():
            order.append("second")

    mine = MigrationLock(lane)
    with mine.held():
        other = threading.Thread(target=second)
        other.start()
        other.join(2 * locks.POLL_S)
        assert other.is_alive()
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_a_killed_process_of_this_machine_is_not_waited_for(lane: Lane) -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    leave_lock(lane, f"{socket.gethostname()}/{pid}", 2_000_000_000)
    with MigrationLock(lane, clock=lambda: 1_000_000_000.0).held():
        pass


def test_a_lease_that_ended_is_not_waited_for(lane: Lane) -> None:
    leave_lock(lane, ELSEWHERE, 1_000_000_000)
    with MigrationLock(lane, clock=lambda: 1_000_000_000 + LEASE_S).held():
        pass


def test_a_migration_that_does_not_end_is_named(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_S", 0.01)
    leave_lock(lane, ELSEWHERE, 4_000_000_000)
    with pytest.raises(StartupError, match=ELSEWHERE):
        MigrationLock(lane).held().__enter__()
