"""Finds runs of several traces that a deletion removes in part, to rebuild the other traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.parameters import batched, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.upkeep import DeletionScope
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.parameters import Row


def find_partly_deleted(
    connection: Connection, scope: DeletionScope, traces: Sequence[Row]
) -> Sequence[TraceKey]:
    """Return the traces to rebuild because a trace of the same run is deleted.

    The document of a home trace contains the spans of the run's other traces, deleted or not. A
    trace whose home is deleted becomes a separate run, and so does a duplicate whose original is
    deleted. Call this before recording the deletion, which hides its traces.
    """
    gone = {TraceKey(trace.Project, trace.TraceId) for trace in traces}
    found: set[TraceKey] = set()
    for some in batched(sorted(gone)):
        for row in connection.rows("parts_elsewhere", keys=some, reach=within(scope.reach)):
            part, home = TraceKey(row.Project, row.TraceId), TraceKey(row.Project, row.Home)
            if (part in gone) != (home in gone):
                found.add(home if part in gone else part)
        for row in connection.rows("repeats_of", keys=some, reach=within(scope.reach)):
            found.add(TraceKey(row.Project, row.TraceId))
    found -= gone
    deleted = connection.hiding.deleted_among(connection, found)
    return sorted(key for key in found if key not in deleted)


def find_built_from_deleted(connection: Connection) -> Sequence[TraceKey]:
    """Return the stored traces whose documents still contain or refer to deleted traces.

    Nothing is found once the rows of the deleted traces are removed.
    """
    return [TraceKey(row.Project, row.Torn) for row in connection.rows("torn_by_deleted")]
