"""What Langfuse's events have said so far of each observation and trace, on disk.

A stored span is replaced as a whole by a newer version of itself, while an event says only what
it changes and mostly does not even name its trace. So what is known is kept here, each field with
the stamp of the event that set it. A field goes to the event with the latest stamp: merging is
commutative and idempotent, and disorder and repeats change nothing.
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from spanloom.collector.doors.langfuse.events import Subject
from spanloom.core.errors import OverloadedError, StartupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from spanloom.collector.doors.langfuse.events import Change

KEEP_S = 24 * 3600
"""How long an observation is remembered after its last event; later ones start anew."""
MAX_BYTES = 1024**3
"""Beyond it the tenth that was longest untouched is forgotten early."""
MAX_TOPS = 1_000
"""Observations of a trace that are written anew when the trace changes."""
_TIDY_EVERY = 256
_BUSY_S = 30.0
_FIRST_SEEN = "firstSeen"

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
  PRIMARY KEY (project, subject, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS known_tops ON known (project, top_of) WHERE top_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS known_by_age ON known (touched_s);
"""

_Fields = dict[str, list[object]]
"""Name to time, event id and value; lists because JSON gives them back so."""


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation as far as it is known, with what is known of its trace if it is on top."""

    id: str
    trace_id: str
    fields: dict[str, object]
    first_seen_ns: int
    """The time of its earliest event: the start, where none was said."""
    trace: dict[str, object]

    @property
    def parent_id(self) -> str:
        """The observation above, empty on top of the trace."""
        return str(self.fields.get("parentObservationId", ""))


class Observations:
    """The memory of the ingestion API; one transaction a request, fsynced before it answers."""

    def __init__(
        self, path: Path, max_bytes: int = MAX_BYTES, clock_s: Callable[[], float] = time.time
    ) -> None:
        """Open the file, made if it is missing; raises ``StartupError``."""
        self._max_bytes = max_bytes
        self._clock_s = clock_s
        self._merges = 0
        try:
            self._file = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise StartupError(f"{path} cannot be opened: {error}.") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def merge(self, project: str, changes: Iterable[Change]) -> list[Observation]:
        """Take in events; give every observation they change, as far as it has a trace.

        Not for several threads at once. Raises ``OverloadedError`` if the disk is full.
        """
        try:
            self._file.execute("BEGIN IMMEDIATE")
            changed = self._merge(project, changes)
            self._tidy()
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise OverloadedError(f"The observations could not be kept: {error}.", 5.0) from error
        return changed

    def _merge(self, project: str, changes: Iterable[Change]) -> list[Observation]:
        touched: dict[tuple[Subject, str], _Fields] = {}
        for change in changes:
            key = (change.subject, change.id)
            fields = touched.get(key)
            if fields is None:
                fields = touched[key] = self._read(project, *key)
            _set(fields, change)
        ids = {i: None for (subject, i) in touched if subject is Subject.OBSERVATION}
        for (subject, known_id), fields in touched.items():
            self._write(project, subject, known_id, fields)
        for subject, known_id in touched:
            if subject is Subject.TRACE:
                ids |= dict.fromkeys(self._tops(project, known_id))
        return [o for i in ids if (o := self._observation(project, i)) is not None]

    def _read(self, project: str, subject: Subject, known_id: str) -> _Fields:
        query = "SELECT fields FROM known WHERE project = ? AND subject = ? AND id = ?"
        row = self._file.execute(query, (project, subject, known_id)).fetchone()
        found: _Fields = orjson.loads(row[0]) if row else {}
        return found

    def _write(self, project: str, subject: Subject, known_id: str, fields: _Fields) -> None:
        on_top = subject is Subject.OBSERVATION and "parentObservationId" not in fields
        top_of = _trace_id(known_id, fields) if on_top else None
        self._file.execute(
            "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?)",
            (project, subject, known_id, top_of, int(self._clock_s()), orjson.dumps(fields)),
        )

    def _tops(self, project: str, trace_id: str) -> list[str]:
        query = "SELECT id FROM known WHERE project = ? AND top_of = ? ORDER BY id LIMIT ?"
        return [row[0] for row in self._file.execute(query, (project, trace_id, MAX_TOPS))]

    def _observation(self, project: str, known_id: str) -> Observation | None:
        fields = self._read(project, Subject.OBSERVATION, known_id)
        trace_id = _trace_id(known_id, fields)
        if trace_id is None:
            return None
        on_top = "parentObservationId" not in fields
        trace = self._read(project, Subject.TRACE, trace_id) if on_top else {}
        first_seen = fields.pop(_FIRST_SEEN)[0]
        return Observation(
            known_id,
            trace_id,
            {name: value for name, (*_, value) in fields.items()},
            first_seen if isinstance(first_seen, int) else 0,
            {name: value for name, (*_, value) in trace.items()},
        )

    def _tidy(self) -> None:
        """Forget what is old now and then, and more if the file grows beyond its bound."""
        self._merges += 1
        if self._merges % _TIDY_EVERY:
            return
        self._file.execute("DELETE FROM known WHERE touched_s < ?", (self._clock_s() - KEEP_S,))
        if self._used_bytes() > self._max_bytes:
            self._file.execute(
                "DELETE FROM known WHERE touched_s <= (SELECT touched_s FROM known ORDER BY "
                "touched_s LIMIT 1 OFFSET (SELECT count() / 10 FROM known))"
            )

    def _used_bytes(self) -> int:
        pages, free, size = (
            self._file.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


def _set(fields: _Fields, change: Change) -> None:
    """Let each field have the value of the latest event that says it."""
    time_ns, event_id = change.stamp
    for name, value in change.fields.items():
        known = fields.get(name)
        if known is None or known[:2] <= [time_ns, event_id]:
            fields[name] = [time_ns, event_id, value]
    seen = fields.get(_FIRST_SEEN)
    if seen is None or [time_ns, event_id] < seen[:2]:
        fields[_FIRST_SEEN] = [time_ns, event_id, None]


def _trace_id(known_id: str, fields: _Fields) -> str | None:
    """Give the trace; one created without any is a trace of its own, an update says nothing."""
    if "traceId" in fields:
        return str(fields["traceId"][2])
    return known_id if "created" in fields else None
