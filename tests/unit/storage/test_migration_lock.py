"""Only one migration runs at a time; others wait, or take over from a silent or dead holder."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from spanloom.core.errors import MigrationUnderWayError, StoreUnavailableError
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.parameters import quoted
from spanloom.storage.engine.statements import query
from spanloom.storage.upkeep import lock as locks
from spanloom.storage.upkeep.lock import LOCK, Lock, LockLostError, MigrationLock, Silence

if TYPE_CHECKING:
    from collections.abc import Callable

    from clickhouse_connect.driver.client import Client

ELSEWHERE = "another-machine/1 - 0123"
OLD_LOCK = """
CREATE TABLE schema_migration_lock (Holder String, Ends DateTime) ENGINE = MergeTree ORDER BY Ends
"""
"""The table that is the migration lock of release 0.1.0."""


@pytest.fixture
def connection(fresh_database: Client) -> Connection:
    return Connection(fresh_database)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take 0.1 s without renewal for silence, and poll often."""
    monkeypatch.setattr(locks, "SILENCE_S", 0.1)
    monkeypatch.setattr(locks, "POLL_S", 0.02)


def leave_lock(
    connection: Connection, number: int, holder: str, *, is_released: bool = False
) -> None:
    """Create the lock that a killed migration leaves."""
    connection.run(f"{query('lock_migrations')} COMMENT {quoted(holder)}", table=f"{LOCK}{number}")
    connection.run(query("renew_migrations"), table=f"{LOCK}{number}", is_released=is_released)


def locks_of(connection: Connection) -> list[tuple[str, bool]]:
    """Return the name of each existing lock, and whether it is held."""
    names = [str(name) for name, _ in connection.rows("migration_locks")]
    states = [next(iter(connection.rows("migration_lock", table=name))) for name in names]
    return [(name, not state.is_released) for name, state in zip(names, states, strict=True)]


def in_thread(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act)
    thread.start()
    return thread


def test_the_lock_is_a_table_whose_number_grows(connection: Connection) -> None:
    for number in (1, 2, 3):
        with MigrationLock(connection).held() as renew:
            assert locks_of(connection) == [(f"{LOCK}{number}", True)]
            renew()
        assert locks_of(connection) == [(f"{LOCK}{number}", False)]


def test_a_failed_migration_gives_the_lock_back(connection: Connection) -> None:
    with pytest.raises(ZeroDivisionError), MigrationLock(connection).held():
        raise ZeroDivisionError
    assert locks_of(connection) == [(f"{LOCK}1", False)]


def test_a_second_migration_waits_for_the_first(connection: Connection) -> None:
    order = []

    def second() -> None:
        with MigrationLock(connection).held():
            order.append("second")

    mine = MigrationLock(connection)
    with mine.held():
        other = in_thread(second)
        other.join(2 * locks.POLL_S)
        assert other.is_alive()
        order.append("first")
    other.join(30)
    assert order == ["first", "second"]


def test_of_several_at_once_one_holds_it(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "POLL_S", 0.01)
    at_once = most = 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal at_once, most
        for _ in range(3):
            with MigrationLock(connection).held():
                with guard:
                    at_once += 1
                    most = max(most, at_once)
                with guard:
                    at_once -= 1

    for thread in [in_thread(work) for _ in range(4)]:
        thread.join(60)
    assert most == 1
    assert locks_of(connection) == [(f"{LOCK}12", False)]


def test_a_killed_process_of_this_machine_is_not_waited_for(connection: Connection) -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    leave_lock(connection, 7, f"here/{pid} {locks._place()} 0123")
    with MigrationLock(connection).held():
        assert locks_of(connection) == [(f"{LOCK}8", True)]


def test_an_equal_process_id_elsewhere_proves_nothing(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_S", 0.01)
    leave_lock(connection, 1, "here/2 another-boot:1 0123")
    with pytest.raises(MigrationUnderWayError, match="here/2;"):
        MigrationLock(connection).held().__enter__()


@pytest.mark.usefixtures("short")
def test_a_silent_holder_is_followed_by_the_next(connection: Connection) -> None:
    leave_lock(connection, 1, ELSEWHERE)
    with MigrationLock(connection).held():
        assert locks_of(connection) == [(f"{LOCK}2", True)]


@pytest.mark.usefixtures("short")
def test_who_was_overtaken_does_nothing_more_and_leaves_the_lock_alone(
    connection: Connection,
) -> None:
    with ExitStack() as stack:
        renew = stack.enter_context(MigrationLock(connection).held())
        with MigrationLock(connection).held():
            with pytest.raises(LockLostError):
                renew()
            stack.close()
            assert locks_of(connection) == [(f"{LOCK}2", True)]
    assert locks_of(connection) == [(f"{LOCK}2", False)]


@pytest.mark.usefixtures("short")
def test_a_lock_of_ones_own_that_was_left_is_no_hindrance(connection: Connection) -> None:
    mine = MigrationLock(connection)
    leave_lock(connection, 1, mine._me)
    with mine.held():
        assert locks_of(connection) == [(f"{LOCK}2", True)]


def test_who_slept_over_the_next_lock_takes_its_own_back(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process sees lock 1 as the newest, sleeps, and creates lock 2 when lock 3 exists."""
    mine = MigrationLock(connection)
    leave_lock(connection, 3, ELSEWHERE, is_released=True)
    looks = iter([Lock(1, ELSEWHERE, True, 1, False)])
    works = mine._newest
    monkeypatch.setattr(mine, "_newest", lambda: next(looks, None) or works())
    with mine.held():
        assert locks_of(connection) == [(f"{LOCK}4", True)]


def test_a_migration_that_does_not_end_is_named(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_S", 0.01)
    leave_lock(connection, 1, ELSEWHERE)
    with pytest.raises(MigrationUnderWayError, match=r"in process another-machine/1; wait"):
        MigrationLock(connection).held().__enter__()


def test_a_migration_of_the_release_before_is_waited_for(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_S", 0.01)
    connection.run(OLD_LOCK)
    connection.run("INSERT INTO schema_migration_lock SELECT 'old/1', now() + 60")
    with pytest.raises(MigrationUnderWayError, match="of an older release"):
        MigrationLock(connection).held().__enter__()
    connection.run("TRUNCATE TABLE schema_migration_lock")
    connection.run("INSERT INTO schema_migration_lock SELECT 'old/1', now() - 1")
    with MigrationLock(connection).held():
        pass


def test_an_error_of_the_store_is_no_lost_lock(connection: Connection) -> None:
    with pytest.raises(StoreUnavailableError) as error, MigrationLock(connection).held():
        raise StoreUnavailableError("gone")
    assert not isinstance(error.value, LockLostError)


def test_silence_counts_looks_and_no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 1000.0
    monkeypatch.setattr("spanloom.storage.upkeep.lock.time.monotonic", lambda: now_s)
    silence = Silence()
    quiet = Lock(1, ELSEWHERE, False, 5, False)

    def look(after_s: float, found: Lock) -> bool:
        nonlocal now_s
        now_s += after_s
        return silence.has_lasted(found)

    assert not look(0, quiet)
    assert not look(10_000, quiet)
    assert not any(look(1, quiet) for _ in range(80))
    assert not look(1, quiet._replace(is_working=True))
    assert not any(look(1, quiet) for _ in range(90))
    assert not look(1, quiet._replace(sign=6))
    assert not any(look(1, quiet._replace(sign=6)) for _ in range(90))
    assert look(1, quiet._replace(sign=6))
