"""How much each project has sent, in a SQLite file of the collector's data directory."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from spanloom.core.errors import StartupError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS usage (
  project TEXT NOT NULL,
  day INTEGER NOT NULL, -- since the epoch, UTC
  bytes INTEGER NOT NULL,
  PRIMARY KEY (project, day)
) WITHOUT ROWID;
"""


class SqliteUsage:
    """``UsageStore`` over one file."""

    def __init__(self, path: Path) -> None:
        """Open the file, made if it is missing; raises ``StartupError``."""
        self._lock = Lock()
        try:
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise StartupError(f"{path} cannot be opened: {error}") from error

    def add(self, day: int, sizes: Mapping[str, int]) -> None:
        """See ``UsageStore.add``."""
        with self._use() as file, file:
            file.execute("BEGIN")
            file.executemany(
                "INSERT INTO usage VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes",
                [(project, day, size) for project, size in sizes.items()],
            )

    def totals(self, since_day: int) -> Mapping[str, int]:
        """See ``UsageStore.totals``."""
        with self._use() as file:
            file.execute("DELETE FROM usage WHERE day < ?", (since_day,))
            return dict(file.execute("SELECT project, sum(bytes) FROM usage GROUP BY project"))

    def close(self) -> None:
        """See ``UsageStore.close``."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._file
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"the file of usage does not answer: {error}") from error
