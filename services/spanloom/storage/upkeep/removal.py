"""Removes rows of deleted traces, and exempts annotated trajectories from retention."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.storage.deletions.store import (
    read_deletions,
    read_traces,
    record_deletion,
    record_traces,
)
from spanloom.storage.deletions.tables import OF_TRACES
from spanloom.storage.engine.statements import query
from spanloom.storage.upkeep.retention import KEEPING

if TYPE_CHECKING:
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.storage.engine.lane import Lane


def newest_deletion(lane: Lane) -> str:
    """Return the id of the newest deletion; empty if there is none."""
    return next((found.id for found in read_deletions(lane, 1)), "")


def remove_deleted(lane: Lane, over_before_ns: int) -> int:
    """Remove every row of deleted traces; return how many there were.

    Spans stored after their deletion was requested may add further traces, so scopes are read
    again. A deletion from before ``over_before_ns`` then ends: spans that arrive for its traces
    from now on are stored like any other.
    """
    lasting = read_deletions(lane, only_lasting=True)
    for deletion in lasting:
        known = read_traces(lane, deletion.scope, deletion.until_seq)
        record_traces(lane, deletion.id, known)
    removed = sum(_empty(lane, table) for table in OF_TRACES) if lasting else 0
    for deletion in lasting:
        if deletion.requested_at_ns < over_before_ns:
            lane.run(query("end_deletion"), id=deletion.id)
            record_deletion(lane, replace(deletion, step=deletion.step + 1, is_over=True))
    return removed


def _empty(lane: Lane, table: str) -> int:
    """Remove the deleted rows of a table; a table without any is not touched."""
    ((count,),) = lane.rows("count_deleted_rows", table=table)
    if count:
        lane.run(query("remove_deleted_rows"), table=table)
    return int(count)


_KEEP = ("count_to_keep_rows", "keep_rows")
_RELEASE = ("count_to_release_rows", "release_rows")


def keep_annotated(lane: Lane, plan: RetentionPlan) -> int:
    """Mark the rows of annotated trajectories, or unmark all; return how many rows changed.

    A table without such rows is not touched. The row of a newer version is not marked yet, but its
    days count from the start again: it has at least a day left.
    """
    names = _KEEP if plan.keeps_annotated else _RELEASE
    return sum(_mark(lane, *names, table) for table in sorted(KEEPING))


def _mark(lane: Lane, counting: str, statement: str, table: str) -> int:
    ((count,),) = lane.rows(counting, table=table)
    if count:
        lane.run(query(statement), table=table)
    return int(count)
