"""Finds the runs of which a deletion removes only a part, to build their remaining traces again."""

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
    """Return the stored traces that share a run with a deleted trace, and are not deleted.

    The document of a run's home trace has the spans of its deleted parts. A part whose home is
    deleted becomes a separate run, and so does a duplicate whose original is deleted. Call this
    before recording the deletion, which hides the parts.
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
    """Return the stored traces whose documents still depend on deleted traces.

    Traces that contain a deleted part are found until the rows of the part are removed.
    """
    return [TraceKey(row.Project, row.Torn) for row in connection.rows("torn_by_deleted")]
