"""The spool's SQLite file: its tables, its settings, and the totals stored in it.

Every transaction reads the totals again, because another process may change the file too, as
``spanloom dead-letters`` does while the service runs.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from spanloom.collector.spool.mending import mend_if_damaged
from spanloom.core.errors import SchemaTooNewError, SchemaTooOldError, StartupError

if TYPE_CHECKING:
    from pathlib import Path


SCHEMA_VERSION = 4
"""The schema version since release 0.1.0; files with an older version are refused."""
LIST_LETTERS = (
    "SELECT seq, project, accepted_at_ns, span_count, size, signal, reason FROM dead_letters "
    "ORDER BY seq"
)
"""Query that returns the fields of each ``DeadLetter``, the oldest first."""
_BUSY_S = 30.0

_PAGES = "PRAGMA page_size = 65536; PRAGMA auto_vacuum = INCREMENTAL;"
_SETTINGS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = OFF;
PRAGMA cache_size = -16384;
PRAGMA journal_size_limit = 134217728;
"""
# FULL fsyncs the log at every commit; acknowledgements depend on that.

_SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  accepted_at_ns INTEGER NOT NULL,
  span_count INTEGER NOT NULL,
  size INTEGER NOT NULL,
  body BLOB NOT NULL,
  signal TEXT NOT NULL DEFAULT 'spans'
);
CREATE TABLE dead_letters (
  seq INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  accepted_at_ns INTEGER NOT NULL,
  span_count INTEGER NOT NULL,
  reason TEXT NOT NULL,
  body BLOB NOT NULL,
  signal TEXT NOT NULL DEFAULT 'spans',
  size INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE totals (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  last_seq INTEGER NOT NULL,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  dead_records INTEGER NOT NULL DEFAULT 0,
  dead_bytes INTEGER NOT NULL DEFAULT 0
);
INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);
PRAGMA user_version = 4; -- SCHEMA_VERSION
COMMIT;
"""


class Connect(Protocol):
    """Opens SQLite files like ``sqlite3.connect``; tests pass a function that fails."""

    def __call__(
        self, database: Path, *, timeout: float, isolation_level: None, check_same_thread: bool
    ) -> sqlite3.Connection:
        """Open a database."""


@dataclass(slots=True)
class Totals:
    """Number and size of the stored records, so that the records need not be counted."""

    last_seq: int
    """The largest sequence number ever assigned."""
    records: int
    """Number of requests that wait for the store."""
    bytes: int
    dead_records: int
    """Number of dead letters."""
    dead_bytes: int

    @classmethod
    def load(cls, connection: sqlite3.Connection) -> Totals:
        """Read the totals as of the last commit."""
        query = "SELECT last_seq, records, bytes, dead_records, dead_bytes FROM totals"
        return cls(*connection.execute(query).fetchone())

    def save(self, connection: sqlite3.Connection) -> None:
        """Write the totals as part of the current transaction."""
        connection.execute(
            "UPDATE totals SET last_seq = ?, records = ?, bytes = ?, dead_records = ?, "
            "dead_bytes = ?",
            (self.last_seq, self.records, self.bytes, self.dead_records, self.dead_bytes),
        )


def open_spool_file(path: Path, connect: Connect) -> sqlite3.Connection:
    """Open the file, creating it if it is missing.

    A damaged file is repaired first (``mending.py``). Raises ``SchemaTooNewError`` for a newer
    schema, ``SchemaTooOldError`` for an older one, ``StartupError`` for any other file.
    """
    try:
        mend_if_damaged(path, SCHEMA_VERSION, _PAGES + _SCHEMA)
        connection = connect_spool_file(path, connect)
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            connection.close()
            raise SchemaTooNewError(
                f"The spool {path} was written by a newer Spanloom (schema {version}; this one "
                f"knows {SCHEMA_VERSION}): use that version, or another data directory."
            )
        if 0 < version < SCHEMA_VERSION:
            connection.close()
            raise SchemaTooOldError(f"the spool {path}")
        if version == 0:
            connection.executescript(_SCHEMA)
    except sqlite3.Error as error:
        raise StartupError(f"The spool {path} cannot be opened: {error}.") from error
    return connection


def connect_spool_file(path: Path, connect: Connect) -> sqlite3.Connection:
    """Open another connection to a spool file; transactions are begun explicitly."""
    connection = connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    if pages == 0:  # on an existing file the second pragma would write a page at each opening
        connection.executescript(_PAGES)
    connection.executescript(_SETTINGS)
    return connection
