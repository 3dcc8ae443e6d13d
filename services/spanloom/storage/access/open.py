"""Opens the store of keys that belongs to a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.access.sqlite import SqliteKeys

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.core.ports.keys import KeyStore

KEYS_FILE = "keys.sqlite"


def open_key_store(data_dir: Path) -> KeyStore:
    """Open the keys beside the embedded store; raises ``StartupError``.

    It needs neither the engine nor the lock of the data directory, so that it may be called
    beside a running service.
    """
    return SqliteKeys(data_dir / KEYS_FILE)
