"""Opens a store for the keeper."""

from __future__ import annotations

from spanloom.storage.engine.connect import connector_of, is_embedded
from spanloom.storage.engine.lane import UPKEEP_SETTINGS, Lane
from spanloom.storage.upkeep.lock import MigrationLock, NoLock
from spanloom.storage.upkeep.store import ClickHouseUpkeep


def open_upkeep(url: str) -> ClickHouseUpkeep:
    """Open the store for the keeper, who alone may change its tables and its retention.

    Raises ``StartupError`` with one line if the URL is none or the store cannot be opened.
    """
    lane = Lane(connector_of(url)(), UPKEEP_SETTINGS)
    # The directory of an embedded store is locked already.
    lock = NoLock() if is_embedded(url) else MigrationLock(lane)
    return ClickHouseUpkeep(lane, lock)
