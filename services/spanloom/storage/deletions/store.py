"""``DeletionLedger`` in ClickHouse: a row for each deletion, and a row for each deleted trace."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.model.upkeep import Deletion, DeletionScope
from spanloom.core.ports.upkeep import Extent
from spanloom.storage.deletions.torn import find_partly_deleted
from spanloom.storage.engine.parameters import reach_columns, reach_of, within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.building import CarriedRecord
    from spanloom.storage.deletions.hiding import DeletedRows
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


TRACE_COLUMNS = ("Project", "TraceId", "DeletionId")


def read_deletions(
    connection: Connection, limit: int = sys.maxsize, *, only_lasting: bool = False
) -> Sequence[Deletion]:
    """Return the latest state of each deletion, newest first.

    ``only_lasting`` leaves out deletions that have ended.
    """
    rows = connection.rows("read_deletions", limit=limit, only_lasting=only_lasting)
    return [_deletion_of(row) for row in rows]


def record_deletion(connection: Connection, deletion: Deletion) -> None:
    """Store the current state of a deletion."""
    scope = deletion.scope
    row = {
        "Id": deletion.id,
        "Step": deletion.step,
        **reach_columns(scope.reach),
        "TraceId": scope.trace_id,
        "ConversationId": scope.conversation_id,
        "StartBeforeUnixNano": scope.start_before_ns,
        "RequestedAtUnixNano": deletion.requested_at_ns,
        "UntilSeq": deletion.until_seq,
        "RequestedBy": deletion.requested_by,
        "Traces": deletion.traces,
        "Spans": deletion.spans,
        "IsOver": deletion.is_over,
    }
    connection.insert_objects("deletions", [row])


def reaching(connection: Connection, until_seq: int) -> int:
    """Return the newest stored sequence, or ``until_seq`` if that is higher.

    A deletion that is requested now applies up to this sequence.
    """
    stored = [int(row.Seq) for row in connection.rows("newest_stored")]
    return max(until_seq, *stored) if stored else until_seq


def read_traces(connection: Connection, scope: DeletionScope, until_seq: int) -> Sequence[Row]:
    """Return the key of every stored trace in scope, with the number of spans received."""
    rows = connection.rows(
        "deletion_traces",
        reach=within(scope.reach),
        trace_id=scope.trace_id,
        conversation_id=scope.conversation_id,
        start_before_ns=scope.start_before_ns,
        until_seq=until_seq,
    )
    return list(rows)


def record_traces(connection: Connection, deletion_id: str, traces: Sequence[Row]) -> None:
    """Record the traces that a deletion deletes; from now on no reader sees them."""
    rows = ([trace.Project, trace.TraceId, deletion_id] for trace in traces)
    connection.insert("deleted_traces", TRACE_COLUMNS, rows)


def record_late(connection: Connection, records: Sequence[CarriedRecord]) -> None:
    """Delete the built runs among ``records`` that belong to a deleted conversation."""
    if not connection.hiding.may_hide:
        return
    for deletion in read_deletions(connection, only_lasting=True):
        if deletion.scope.conversation_id is not None:
            late = [[*record.key, deletion.id] for record in records if _covers(deletion, record)]
            connection.insert("deleted_traces", TRACE_COLUMNS, late)


def _covers(deletion: Deletion, record: CarriedRecord) -> bool:
    scope = deletion.scope
    return (
        record.seq <= deletion.until_seq
        and scope.conversation_id == record.conversation_id
        and scope.reach.covers(record.key.project)
        and scope.trace_id in (None, record.key.trace_id)
        and (scope.start_before_ns is None or record.start_ns < scope.start_before_ns)
    )


def _deletion_of(row: Row) -> Deletion:
    """Return a row of ``read_deletions.sql`` as a deletion."""
    scope = DeletionScope(
        reach=reach_of(row),
        trace_id=row.TraceId,
        conversation_id=row.ConversationId,
        start_before_ns=row.StartBeforeUnixNano,
    )
    return Deletion(
        id=row.Id,
        scope=scope,
        requested_at_ns=row.RequestedAtUnixNano,
        requested_by=row.RequestedBy,
        traces=row.Traces,
        spans=row.Spans,
        step=row.Step,
        is_over=bool(row.IsOver),
        until_seq=row.UntilSeq,
    )


class ClickHouseDeletions:
    """Implements ``DeletionLedger`` with the extractor's connection to ClickHouse."""

    def __init__(
        self,
        worker: Connection,
        hiding: DeletedRows,
        revisit: Callable[[Sequence[TraceKey]], None],
        *,
        is_alone: bool = True,
    ) -> None:
        """Use the connection, which the caller closes, and ``hiding`` to hide deleted rows.

        ``revisit`` makes the extractor rebuild traces at once. ``is_alone`` means that the store is
        in this process, and has the same clock.
        """
        self._worker = worker
        self._hiding = hiding
        self._revisit = revisit
        self._is_alone = is_alone

    def now_ns(self) -> int:
        """See ``DeletionLedger.now_ns``."""
        if self._is_alone:
            return time.time_ns()
        [(_, now_ns)] = self._worker.rows("engine_state")
        return int(now_ns)

    def extent_of(self, scope: DeletionScope, until_seq: int) -> Extent:
        """See ``DeletionLedger.extent_of``."""
        return _extent(read_traces(self._worker, scope, reaching(self._worker, until_seq)))

    def delete(self, deletion: Deletion) -> Deletion:
        """See ``DeletionLedger.delete``.

        The traces are read first, because their rows are hidden once the deletion is recorded.
        Partly deleted runs are made due before the deletion is recorded, so that they are due even
        if the process dies during the deletion. They are made due again afterwards, because they
        may have been built in between.
        """
        until_seq = reaching(self._worker, deletion.until_seq)
        traces = read_traces(self._worker, deletion.scope, until_seq)
        extent = _extent(traces)
        partly_deleted = find_partly_deleted(self._worker, deletion.scope, traces)
        self._revisit(partly_deleted)
        self._hiding.begin()
        counted = replace(deletion, traces=extent.traces, spans=extent.spans, until_seq=until_seq)
        record_deletion(self._worker, counted)
        record_traces(self._worker, deletion.id, traces)
        self._revisit(partly_deleted)
        return counted

    def list(self, limit: int) -> Sequence[Deletion]:
        """See ``DeletionLedger.list``."""
        return read_deletions(self._worker, limit)


def _extent(traces: Sequence[Row]) -> Extent:
    return Extent(len(traces), sum(int(trace.spans) for trace in traces))
