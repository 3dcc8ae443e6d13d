"""Stores the merged observations and traces in one SQLite file of bounded size.

Rows are evicted ("forgotten") a day after their last event, or earlier, oldest first, if the file
would exceed its size limit. If an evicted observation is stored as a span, its row is replaced by a
small marker, so that late events for this observation are recognised.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING

import orjson

from spanloom.collector.doors.langfuse.fields import Subject
from spanloom.core.errors import OverloadedError, SchemaTooOldError, StartupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from spanloom.collector.doors.langfuse.fields import Fields
    from spanloom.metrics import Metrics

KEEP_S = 24 * 3600
"""Seconds for which an observation is stored after its last event."""
MAX_BYTES = 1024**3
"""Size limit of the file; beyond it the rows with the oldest last event are evicted early."""
MAX_MARKS = 1_000_000
"""Maximum number of markers, some 80 bytes each; the oldest are deleted."""
_FORGET_AT_ONCE = 256
_BUSY_S = 30.0

_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS known (
  project TEXT NOT NULL,
  subject TEXT NOT NULL,
  id TEXT NOT NULL,
  top_of TEXT, -- the trace, of an observation that has no parent
  touched_s INTEGER NOT NULL,
  fields BLOB NOT NULL, -- JSON: name to [time, event id, value]
  trace_id BLOB, -- of an observation that is stored as a span; null while it waits for its creation
  PRIMARY KEY (project, subject, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS known_tops ON known (project, top_of) WHERE top_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS known_by_age ON known (touched_s);
CREATE TABLE IF NOT EXISTS forgotten (
  n INTEGER PRIMARY KEY, -- the order in which they were forgotten
  id BLOB NOT NULL UNIQUE, -- hash of project and observation id
  trace_id BLOB NOT NULL -- of the stored span, as OTLP has it
);
"""


class ObservationFile:
    """Rows of observations and traces, keyed by project, subject and id; serializes transactions.

    Each transaction is fsynced.
    """

    def __init__(
        self, path: Path, metrics: Metrics, max_bytes: int, clock_s: Callable[[], float] = time.time
    ) -> None:
        """Open the file, creating it if it is missing; raises ``StartupError``."""
        self._metrics = metrics
        self._max_bytes = max_bytes
        self._clock_s = clock_s
        self._lock = RLock()
        try:
            self._file = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._file.executescript(_SCHEMA)
            columns = {row[1] for row in self._file.execute("PRAGMA table_info(known)")}
        except sqlite3.Error as error:
            raise StartupError(f"{path} cannot be opened: {error}.") from error
        if "trace_id" not in columns:
            self._file.close()
            raise SchemaTooOldError(f"the file {path}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run one transaction; before the commit, evict old rows, and rows beyond the size limit.

        Raises ``OverloadedError``, without any change, if the file cannot be written.
        """
        with self._lock:
            try:
                self._file.execute("BEGIN IMMEDIATE")
                yield
                self._forget()
                self._file.execute("COMMIT")
            except sqlite3.Error as error:
                raise OverloadedError(
                    f"The observations could not be kept: {error}.", 5.0
                ) from error
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")

    def read(self, project: str, subject: Subject, known_id: str) -> tuple[Fields, int] | None:
        """Return the fields and their size in bytes; ``None`` if there is no such row."""
        query = "SELECT fields FROM known WHERE project = ? AND subject = ? AND id = ?"
        with self._lock:
            row = self._file.execute(query, (project, subject, known_id)).fetchone()
        return None if row is None else (orjson.loads(row[0]), len(row[0]))

    def write(
        self,
        project: str,
        subject: Subject,
        known_id: str,
        fields: bytes,
        trace_id: bytes | None,
        top_of: str | None,
    ) -> None:
        """Store fields; for a top-level observation also set its trace's last event to now."""
        now = self._clock_s()
        self._file.execute(
            "INSERT OR REPLACE INTO known (project, subject, id, top_of, touched_s, fields, "
            "trace_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (project, subject, known_id, top_of, now, fields, trace_id),
        )
        if top_of is not None:
            touch = "UPDATE known SET touched_s = ? WHERE project = ? AND subject = ? AND id = ?"
            self._file.execute(touch, (now, project, Subject.TRACE, top_of))

    def top_level_ids(self, project: str, trace_id: str, limit: int) -> list[str]:
        """Return the ids of a trace's top-level observations, at most ``limit``."""
        query = "SELECT id FROM known WHERE project = ? AND top_of = ? ORDER BY id LIMIT ?"
        with self._lock:
            return [row[0] for row in self._file.execute(query, (project, trace_id, limit))]

    def forgotten_trace(self, project: str, known_id: str) -> bytes | None:
        """Return the OTLP trace id of an evicted observation's span, if it has a marker."""
        query = "SELECT trace_id FROM forgotten WHERE id = ?"
        row = self._file.execute(query, (_mark_of(project, known_id),)).fetchone()
        return None if row is None else row[0]

    def _forget(self) -> None:
        oldest_s = self._clock_s() - KEEP_S
        for _ in range(_FORGET_AT_ONCE):
            if not self._forget_oldest("age", oldest_s):
                break
        while self._used_bytes() > self._max_bytes:
            if not self._forget_oldest("size", float("inf")):
                break

    def _forget_oldest(self, reason: str, untouched_since_s: float) -> bool:
        """Evict the row with the oldest last event if it is old enough; return whether one was."""
        query = (
            "SELECT project, subject, id, trace_id FROM known WHERE touched_s < ? "
            "ORDER BY touched_s LIMIT 1"
        )
        row = self._file.execute(query, (untouched_since_s,)).fetchone()
        if row is None:
            return False
        project, subject, known_id, trace_id = row
        delete = "DELETE FROM known WHERE project = ? AND subject = ? AND id = ?"
        self._file.execute(delete, (project, subject, known_id))
        kind = str(subject)
        if trace_id is not None:
            self._mark(project, known_id, trace_id)
        elif subject == Subject.OBSERVATION:
            kind = "waiting"
        self._metrics.langfuse_forgotten.labels(kind=kind, reason=reason).inc()
        return True

    def _mark(self, project: str, known_id: str, trace_id: bytes) -> None:
        self._file.execute(
            "INSERT OR REPLACE INTO forgotten (id, trace_id) VALUES (?, ?)",
            (_mark_of(project, known_id), trace_id),
        )
        trim = "DELETE FROM forgotten WHERE n <= (SELECT max(n) FROM forgotten) - ?"
        self._file.execute(trim, (MAX_MARKS,))

    def _used_bytes(self) -> int:
        pages, free, size = (
            self._file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


def _mark_of(project: str, known_id: str) -> bytes:
    return hashlib.sha256(orjson.dumps([project, known_id])).digest()[:16]
