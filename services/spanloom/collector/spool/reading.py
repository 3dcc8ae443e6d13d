"""Reads the requests that wait in the spool, over a connection of its own."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from spanloom.collector.spool.file import Connect, Totals, connect_spool_file
from spanloom.core.errors import SpanloomError
from spanloom.core.ports.spans import Signal, SpooledRequest

if TYPE_CHECKING:
    from pathlib import Path

_READ = (
    "SELECT seq, project, accepted_at_ns, body, span_count, signal FROM requests "
    "WHERE seq > ? ORDER BY seq"
)
_SIGNALS = frozenset(Signal)


class UnreadableRecordError(SpanloomError):
    """Raised for a record that this version cannot read, for example one with a newer signal."""

    def __init__(self, seq: int, reason: str) -> None:
        """Set the record's sequence and the reason."""
        super().__init__(reason)
        self.seq = seq


class SpoolReader:
    """A connection for reading; threads may share it. Each method may raise ``sqlite3.Error``."""

    def __init__(self, path: Path, connect: Connect) -> None:
        """Open another connection to a spool file."""
        self._connection = connect_spool_file(path, connect)
        self._connection.execute("PRAGMA cache_size = -1024")  # each record is read once
        self._lock = Lock()

    def batch(self, max_bytes: int, after: int) -> list[SpooledRequest]:
        """Return the oldest requests after a sequence, at least one, up to ``max_bytes`` in total.

        Raises ``UnreadableRecordError`` if this version cannot read one of them.
        """
        batch: list[SpooledRequest] = []
        size = 0
        with self._lock:
            rows = self._connection.execute(_READ, (after,))
            for seq, project, accepted_at_ns, body, span_count, signal in rows:
                size += len(body)
                if batch and size > max_bytes:
                    break
                if signal not in _SIGNALS:
                    raise UnreadableRecordError(seq, f"unknown signal {signal!r}")
                batch.append(
                    SpooledRequest(seq, project, accepted_at_ns, body, span_count, Signal(signal))
                )
            rows.close()
        return batch

    def oldest_accepted_ns(self) -> int | None:
        """Return when the oldest waiting request was accepted; ``None`` if no request waits."""
        with self._lock:
            query = "SELECT accepted_at_ns FROM requests ORDER BY seq LIMIT 1"
            row = self._connection.execute(query).fetchone()
        return row[0] if row else None

    def oldest_seq(self) -> int | None:
        """Return the sequence of the oldest waiting request; ``None`` if no request waits."""
        with self._lock:
            row = self._connection.execute("SELECT min(seq) FROM requests").fetchone()
        return None if row[0] is None else int(row[0])

    def totals(self) -> Totals:
        """Return the totals, which another process may have changed."""
        with self._lock:
            return Totals.load(self._connection)

    def free_memory(self) -> None:
        """Free the memory of pages that were read."""
        with self._lock:
            self._connection.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        """Close the connection once no thread reads."""
        with self._lock:
            self._connection.close()
