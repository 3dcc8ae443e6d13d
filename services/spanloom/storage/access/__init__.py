"""Stores API keys in an SQLite file that any process may open, or on a ClickHouse server.

Input: keys and the times of their use. Output: all keys. Start with ``open_key_store``.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import StartupError, StoreUnavailableError
from spanloom.core.model.access import Key, Scope
from spanloom.storage.engine.connect import is_embedded, open_connection
from spanloom.storage.engine.late import LateConnection
from spanloom.storage.engine.migrate import OLDEST_WRITABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from spanloom.core.ports.upkeep import KeyStore
    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.late import Opening


def scopes_text(key: Key) -> str:
    """Return the scopes separated by commas, for example ``ingest,read``."""
    return ",".join(sorted(key.scopes))


def key_of(*, scopes: str, **columns: Any) -> Key:  # the other columns are fields of a key
    """Return the key built from a row's columns, without scopes unknown to this version."""
    known = frozenset(Scope(name) for name in scopes.split(",") if name in set(Scope))
    return Key(scopes=known, **columns)


_BUSY_S = 5.0
_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS keys (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL, -- SHA-256 of the key, in hex
  project TEXT NOT NULL, -- * for all
  scopes TEXT NOT NULL, -- with commas between
  created_ns INTEGER NOT NULL,
  expires_ns INTEGER NOT NULL, -- 0: never
  revoked_ns INTEGER NOT NULL, -- 0: not
  used_ns INTEGER NOT NULL -- 0: never
) WITHOUT ROWID;
"""


class SqliteKeys:
    """``KeyStore`` in an SQLite file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        """Open the file, creating it if it is missing; raises ``StartupError``."""
        self._lock = Lock()
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Only a new file is opened here, because closing a descriptor of a file that SQLite has
            # open in this process would drop SQLite's own locks (POSIX;
            # sqlite.org/howtocorrupt.html, 2.2).
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            self._file = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._file.row_factory = sqlite3.Row
            self._file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise StartupError(f"the keys in {path} cannot be opened: {error}") from error

    def read_all(self) -> Sequence[Key]:
        """See ``KeyStore.read_all``."""
        with self._use() as file:
            return [key_of(**row) for row in file.execute("SELECT * FROM keys")]

    def add(self, key: Key) -> None:
        """See ``KeyStore.add``."""
        times = (key.created_ns, key.expires_ns, key.revoked_ns, key.used_ns)
        row = (key.id, key.digest, key.project, scopes_text(key), *times)
        with self._use() as file:
            file.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def revoke(self, key_id: str, at_ns: int) -> None:
        """See ``KeyStore.revoke``."""
        with self._use() as file:
            file.execute(
                "UPDATE keys SET revoked_ns = ? WHERE id = ? AND revoked_ns = 0", (at_ns, key_id)
            )

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """See ``KeyStore.record_uses``."""
        with self._use() as file:
            file.executemany(
                "UPDATE keys SET used_ns = max(used_ns, ?) WHERE id = ?",
                [(at_ns, key_id) for key_id, at_ns in used_ns.items()],
            )

    def close(self) -> None:
        """See ``KeyStore.close``."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._file
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"the file of keys does not answer: {error}") from error


_TABLE = "access_keys"


class ClickHouseKeys:
    """``KeyStore`` in a ClickHouse table, which the keeper creates."""

    def __init__(self, connection: Connection) -> None:
        """Take over the connection, which ``close`` closes."""
        self._connection = connection
        self._lock = Lock()

    def read_all(self) -> Sequence[Key]:
        """See ``KeyStore.read_all``."""
        with self._lock:
            return [key_of(**row._asdict()) for row in self._connection.rows("read_keys")]

    def add(self, key: Key) -> None:
        """See ``KeyStore.add``."""
        row = {
            "Id": key.id,
            "Digest": key.digest,
            "Project": key.project,
            "Scopes": scopes_text(key),
            "CreatedUnixNano": key.created_ns,
            "ExpiresUnixNano": key.expires_ns,
        }
        self._insert([row])

    def revoke(self, key_id: str, at_ns: int) -> None:
        """See ``KeyStore.revoke``."""
        self._insert([{"Id": key_id, "RevokedUnixNano": at_ns}])

    def record_uses(self, used_ns: Mapping[str, int]) -> None:
        """See ``KeyStore.record_uses``."""
        self._insert([{"Id": key_id, "UsedUnixNano": at} for key_id, at in used_ns.items()])

    def close(self) -> None:
        """See ``KeyStore.close``."""
        with self._lock:
            self._connection.close()

    def _insert(self, rows: Sequence[Mapping[str, object]]) -> None:
        with self._lock:
            self._connection.insert_objects(_TABLE, rows)


def keys_on(opening: Opening) -> KeyStore:
    """Return the ``KeyStore`` of a server that may not be reachable yet."""
    return ClickHouseKeys(LateConnection(opening))


KEYS_FILE = "keys.sqlite"


def open_key_store(store_url: Where, data_dir: Path) -> KeyStore:
    """Open the store of API keys: a file in ``data_dir`` for an embedded store, or a table.

    The file needs neither the engine nor the lock of the data directory, so it can be opened while
    a service runs. Raises ``StartupError`` like ``open_store``.
    """
    if is_embedded(store_url):
        return SqliteKeys(data_dir / KEYS_FILE)
    return ClickHouseKeys(open_connection(store_url, OLDEST_WRITABLE))
