"""The keeper acts before other parts start, then at a deletion, soon after it, and every hour."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.memory_upkeep import MemoryUpkeep

from spanloom.core.errors import MigrationUnderWayError, StartupError, StoreUnavailableError
from spanloom.core.model.upkeep import Older, RetentionPlan, Terms
from spanloom.keeper import AGAIN_S, DAY_NS, SWEEP_S, Keeper, Retention

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

S = 10**9


NO_FILE = Path("/nowhere/retention.toml")


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now_ns = 100 * DAY_NS

    def __call__(self) -> int:
        return self.now_ns


def test_tables_and_retention_stand_before_the_start_returns() -> None:
    upkeep = MemoryUpkeep()
    keeper = Keeper(upkeep, Retention(Terms(7, 9), NO_FILE, 30))
    keeper.start()
    assert (upkeep.migrations, upkeep.plans) == (1, [RetentionPlan(Terms(7, 9))])
    keeper.stop(5)
    assert keeper.failed is None


def test_a_deletion_is_worked_off_at_once_soon_again_and_every_hour() -> None:
    upkeep, clock = MemoryUpkeep(), Clock()
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), clock, clock)
    keeper.run_once()
    keeper.run_once()
    assert len(upkeep.removals) == 1  # leftovers of a stopped keeper are looked for once
    upkeep.newest = "1"
    keeper.run_once()
    keeper.run_once()
    assert upkeep.removals[1:] == [clock() - 30 * DAY_NS]
    for after_s, removals in ((AGAIN_S, 3), (AGAIN_S, 3), (SWEEP_S, 4), (SWEEP_S, 5)):
        clock.now_ns += int(after_s * S)
        keeper.run_once()
        assert len(upkeep.removals) == removals


def test_deleted_datasets_are_removed_when_what_was_being_written_has_come() -> None:
    upkeep, clock, steady = MemoryUpkeep(), Clock(), Clock()
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), clock, steady)
    keeper.run_once()
    keeper.run_once()
    assert upkeep.datasets == [clock() // 1000 - int(AGAIN_S * 1e6)]
    steady.now_ns += int(AGAIN_S * S)
    keeper.run_once()
    assert len(upkeep.datasets) == 2


def test_a_clock_that_is_set_back_puts_no_sweep_off() -> None:
    upkeep, clock, steady = MemoryUpkeep(), Clock(), Clock()
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), clock, steady)
    keeper.run_once()
    clock.now_ns -= DAY_NS
    steady.now_ns += int(SWEEP_S * S)
    keeper.run_once()
    assert len(upkeep.removals) == 2


def test_an_upgrade_is_ended_when_no_older_release_is_at_work() -> None:
    upkeep = MemoryUpkeep()
    upkeep.older = Older(59, "an INSERT into scores")
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), quiet_s=60)
    keeper.run_once()
    assert upkeep.older is not None
    upkeep.older = Older(60, "")
    keeper.run_once()
    assert upkeep.older is None
    keeper.run_once()
    assert upkeep.quiet == [60, 60]


def test_a_store_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    upkeep = MemoryUpkeep()
    upkeep.errors = [StoreUnavailableError("away")]
    monkeypatch.setattr("spanloom.keeper.LOOK_S", 0.01)
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30))
    keeper.start()
    until = time.monotonic() + 20
    while not upkeep.removals and time.monotonic() < until:
        time.sleep(0.01)
    keeper.stop(5)
    assert upkeep.errors == []
    assert upkeep.removals
    assert keeper.failed is None


def test_another_that_ends_the_upgrade_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    upkeep = MemoryUpkeep()
    upkeep.older = Older(60, "")
    finish, refusals = upkeep.finish_upgrade, [MigrationUnderWayError("another")]

    def finish_upgrade(quiet_s: float) -> Sequence[str]:
        if refusals:
            raise refusals.pop()
        return finish(quiet_s)

    monkeypatch.setattr(upkeep, "finish_upgrade", finish_upgrade)
    monkeypatch.setattr("spanloom.keeper.LOOK_S", 0.01)
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), quiet_s=60)
    keeper.start()
    await_true(lambda: upkeep.older is None or keeper.failed)
    keeper.stop(5)
    assert [upkeep.older, keeper.failed] == [None, None]


def await_true(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.01)


class AwayAtFirst(MemoryUpkeep):
    """An upkeep whose migration raises each of ``refusals`` before it succeeds."""

    def __init__(self, *refusals: Exception) -> None:
        super().__init__()
        self.refusals = list(refusals)

    def migrate(self) -> Sequence[str]:
        if self.refusals:
            raise self.refusals.pop(0)
        return super().migrate()


def test_a_store_that_is_away_at_the_start_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanloom.keeper.LOOK_S", 0.01)
    upkeep = AwayAtFirst(StoreUnavailableError("away"), MigrationUnderWayError("another"))
    keeper = Keeper(upkeep, Retention(Terms(7, 9), NO_FILE, 30), waits=True)
    keeper.start()
    await_true(lambda: not keeper.lacks)
    assert upkeep.plans == [RetentionPlan(Terms(7, 9))]
    await_true(lambda: upkeep.removals)
    keeper.stop(5)
    assert keeper.failed is None


def test_a_store_that_no_wait_mends_ends_the_start() -> None:
    keeper = Keeper(AwayAtFirst(StartupError("old")), Retention(Terms(), NO_FILE, 30), waits=True)
    with pytest.raises(StartupError, match="old"):
        keeper.start()
    assert "looked at" in keeper.lacks


def test_one_that_turns_up_later_ends_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanloom.keeper.LOOK_S", 0.01)
    upkeep = AwayAtFirst(StoreUnavailableError("away"), StartupError("old"))
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), waits=True)
    keeper.start()
    await_true(lambda: keeper.failed)
    assert str(keeper.failed) == "old"
