"""When the keeper acts: before everybody else, then on a deletion, soon again, and every hour."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.memory_upkeep import MemoryUpkeep

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.upkeep import RetentionPlan, Terms
from spanloom.keeper import AGAIN_S, DAY_NS, SWEEP_S, Keeper, Retention

if TYPE_CHECKING:
    import pytest

S = 10**9


NO_FILE = Path("/nowhere/retention.toml")


class Clock:
    """Time as the test says."""

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
    assert len(upkeep.removals) == 1  # what a stopped keeper left is looked for once
    upkeep.newest = "1"
    keeper.run_once()
    keeper.run_once()
    assert upkeep.removals[1:] == [clock() - 30 * DAY_NS]
    for after_s, removals in ((AGAIN_S, 3), (AGAIN_S, 3), (SWEEP_S, 4), (SWEEP_S, 5)):
        clock.now_ns += int(after_s * S)
        keeper.run_once()
        assert len(upkeep.removals) == removals


def test_a_clock_that_is_set_back_puts_no_sweep_off() -> None:
    upkeep, clock, steady = MemoryUpkeep(), Clock(), Clock()
    keeper = Keeper(upkeep, Retention(Terms(), NO_FILE, 30), clock, steady)
    keeper.run_once()
    clock.now_ns -= DAY_NS
    steady.now_ns += int(SWEEP_S * S)
    keeper.run_once()
    assert len(upkeep.removals) == 2


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
