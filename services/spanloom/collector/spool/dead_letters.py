"""Lists, exports, retries and drops dead letters, the requests that the store refused.

Dead letters are rows of the spool file and count towards its limit. The operations work on the
file, in any process, even while the service runs: SQLite's locking keeps them from conflicting with
the service, which rereads the totals in every transaction. They also work if the service cannot
start.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.spool.file import LIST_LETTERS, SCHEMA_VERSION
from spanloom.core.errors import StartupError
from spanloom.core.model.diagnosis import DeadLetter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BUSY_S = 30.0
_BACK = (
    "INSERT INTO requests (seq, project, accepted_at_ns, span_count, size, body, signal) "
    "SELECT seq, project, accepted_at_ns, span_count, size, body, signal FROM dead_letters "
    "WHERE seq = ?"
)
_COUNT_BACK = "UPDATE totals SET records = records + 1, bytes = bytes + ?"
_COUNT_OUT = "UPDATE totals SET dead_records = dead_records - 1, dead_bytes = dead_bytes - ?"
_DELETE = "DELETE FROM dead_letters WHERE seq = ? RETURNING size"


class DeadLetters:
    """Gives access to the dead letters in a spool file; must be closed after use."""

    def __init__(self, spool: Path) -> None:
        """Open the file; raises ``StartupError`` if it is missing or has another version."""
        if not spool.exists():
            raise StartupError(f"there is no spool at {spool}: --data-dir names another directory")
        try:
            self._file = sqlite3.connect(spool, timeout=_BUSY_S, isolation_level=None)
            version = self._file.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise StartupError(f"the spool {spool} cannot be opened: {error}") from error
        if version != SCHEMA_VERSION:
            self._file.close()
            raise StartupError(
                f"the spool {spool} has schema {version} and this command knows "
                f"{SCHEMA_VERSION}: start the service once in this version, or use its own"
            )
        self._file.execute("PRAGMA synchronous = FULL")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def list(self) -> list[DeadLetter]:
        """Return all dead letters, the oldest first."""
        return [DeadLetter(*row) for row in self._file.execute(LIST_LETTERS)]

    def read_otlp(self, seq: int) -> bytes | None:
        """Return a dead letter as an OTLP request; ``None`` if no dead letter has this number.

        The fields that Spanloom added to the sender's data are removed; a body that cannot be
        parsed is returned unchanged.
        """
        query = "SELECT body FROM dead_letters WHERE seq = ?"
        row = self._file.execute(query, (seq,)).fetchone()
        return None if row is None else _without_our_fields(row[0])

    def retry(self, seqs: Sequence[int]) -> int:
        """Move dead letters back into the queue with their sequences; return how many existed.

        A running service stores them at once, a stopped service at its next start. Requests that
        the store refuses again become dead letters again.
        """
        with self._transaction():
            return sum(self._take_out(seq, back=True) for seq in seqs)

    def drop(self, seqs: Sequence[int]) -> int:
        """Delete dead letters; return how many existed."""
        with self._transaction():
            return sum(self._take_out(seq, back=False) for seq in seqs)

    def _take_out(self, seq: int, *, back: bool) -> bool:
        if back:
            self._file.execute(_BACK, (seq,))
        for size in self._file.execute(_DELETE, (seq,)).fetchall():
            self._file.execute(_COUNT_OUT, size)
            if back:
                self._file.execute(_COUNT_BACK, size)
            return True
        return False

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")


def _without_our_fields(body: bytes) -> bytes:
    try:
        request = ExportTraceServiceRequest.FromString(body)
    except DecodeError:
        return body
    request.DiscardUnknownFields()
    return request.SerializeToString()
