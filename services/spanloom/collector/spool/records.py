"""Changes the records of the spool, with the totals that count them.

Once the file is open, everything here runs in the committing thread, in its transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.collector.spool.bound import RECORD_BYTES
from spanloom.collector.spool.file import Totals

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from spanloom.collector.spool.sequences import Sequences
    from spanloom.core.ports.spans import Signal, SpooledRequest

_NS_PER_US = 1_000


class Records:
    """The waiting requests and the dead letters of a spool file, and their totals."""

    def __init__(self, connection: sqlite3.Connection, sequences: Sequences) -> None:
        """Load the totals; requests get their numbers from ``sequences``."""
        self._connection = connection
        self._sequences = sequences
        self.totals = Totals.load(connection)
        """The totals with the changes of the current transaction."""

    def load_totals(self) -> None:
        """Read the totals that another process may have changed."""
        self.totals = Totals.load(self._connection)

    def save_totals(self) -> None:
        """Write the totals with the records they count."""
        self.totals.save(self._connection)

    def insert(
        self, project: str, accepted_at_ns: int, body: bytes, span_count: int, signal: Signal
    ) -> int:
        """Store a request; return its sequence number."""
        seq = self._sequences.after(self.totals.last_seq, accepted_at_ns // _NS_PER_US)
        size = len(body) + RECORD_BYTES
        self._connection.execute(
            "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)",
            (seq, project, accepted_at_ns, span_count, size, body, signal),
        )
        self.totals.last_seq = seq
        self.totals.records += 1
        self.totals.bytes += size
        return seq

    def remove(self, seqs: Sequence[int]) -> None:
        """Delete requests."""
        for seq in seqs:
            query = "DELETE FROM requests WHERE seq = ? RETURNING size"
            for (size,) in self._connection.execute(query, (seq,)):
                self.totals.records -= 1
                self.totals.bytes -= size

    def set_aside(self, seq: int, reason: str, rest: SpooledRequest | None) -> None:
        """Move a request to the dead letters; if ``rest`` is set, with the content of ``rest``."""
        changed: tuple[object, ...] = (None, None, None)
        if rest:
            changed = (rest.span_count, rest.body, len(rest.body) + RECORD_BYTES)
        moved = self._connection.execute(
            "INSERT OR REPLACE INTO dead_letters SELECT seq, project, accepted_at_ns, "
            "ifnull(?1, span_count), ?4, ifnull(?2, body), signal, ifnull(?3, size) "
            "FROM requests WHERE seq = ?5 RETURNING size",
            (*changed, reason, seq),
        )
        for (size,) in moved.fetchall():
            self.totals.dead_records += 1
            self.totals.dead_bytes += size
        self.remove([seq])
