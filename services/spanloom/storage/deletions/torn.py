"""Runs of several traces or reports of which a deletion takes some: the others are built again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.parameters import batched, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.upkeep import DeletionScope
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


def find_torn(lane: Lane, scope: DeletionScope, traces: Sequence[Row]) -> Sequence[TraceKey]:
    """Return the stored traces that show parts of a run with a trace that is deleted alone.

    A home has the spans of its deleted parts in its document; a part whose home is deleted is a run
    of its own, as is a repeat whose original is. To be called before the deletion is recorded,
    which hides the parts.
    """
    gone = {TraceKey(trace.Project, trace.TraceId) for trace in traces}
    found: set[TraceKey] = set()
    for some in batched(sorted(gone)):
        for row in lane.rows("parts_elsewhere", keys=some, reach=within(scope.reach)):
            part, home = TraceKey(row.Project, row.TraceId), TraceKey(row.Project, row.Home)
            if (part in gone) != (home in gone):
                found.add(home if part in gone else part)
        for row in lane.rows("repeats_of", keys=some, reach=within(scope.reach)):
            found.add(TraceKey(row.Project, row.TraceId))
    found -= gone
    deleted = lane.hiding.deleted_among(lane, found)
    return sorted(key for key in found if key not in deleted)


def find_torn_by_deleted(lane: Lane) -> Sequence[TraceKey]:
    """Return the stored traces that are still as if those were there which are deleted.

    Those that showed a part are found until its rows are removed.
    """
    return [TraceKey(row.Project, row.Torn) for row in lane.rows("torn_by_deleted")]
