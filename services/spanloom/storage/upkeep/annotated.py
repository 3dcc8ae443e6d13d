"""Marks annotated trajectories, so that retention passes them by, or takes the marks back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.storage.engine.statements import query
from spanloom.storage.upkeep.retention import KEEPING

if TYPE_CHECKING:
    from spanloom.core.model.retention import RetentionPlan
    from spanloom.storage.engine.lane import Lane


_KEEP = ("count_to_keep_rows", "keep_rows")
_RELEASE = ("count_to_release_rows", "release_rows")


def keep_annotated(lane: Lane, plan: RetentionPlan) -> int:
    """Mark the rows of annotated trajectories, or unmark all; return how many that changed.

    A table without such rows is not touched. A row of a newer version is not marked yet, and its
    days are counted anew: it has a day at least.
    """
    names = _KEEP if plan.keeps_annotated else _RELEASE
    return sum(_mark(lane, *names, table) for table in sorted(KEEPING))


def _mark(lane: Lane, counting: str, statement: str, table: str) -> int:
    ((count,),) = lane.rows(counting, table=table)
    if count:
        lane.run(query(statement), table=table)
    return int(count)
