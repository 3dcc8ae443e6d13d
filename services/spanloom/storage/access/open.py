"""Opens the keys that belong to a store."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spanloom.storage.access.keys import ClickHouseKeys, SqliteKeys
from spanloom.storage.engine.connect import open_lane

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.core.ports.upkeep import KeyStore

KEYS_FILE = "keys.sqlite"


def open_key_store(store_url: str, data_dir: Path) -> KeyStore:
    """Open the keys: a file in the data directory of an embedded store, a table on a server.

    The file needs neither the engine nor the lock of the data directory, so that it may be
    opened while a service runs. Raises ``StartupError`` as ``open_store`` does.
    """
    if urlsplit(store_url).scheme == "chdb":
        return SqliteKeys(data_dir / KEYS_FILE)
    return ClickHouseKeys(open_lane(store_url))
