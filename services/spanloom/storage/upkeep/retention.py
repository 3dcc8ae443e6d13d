"""How long tables keep their rows.

The longest term of all projects is the table's TTL, which ClickHouse applies in its merges. The
keeper deletes rows of projects with shorter terms, once a day at most: cutoffs are whole days.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.model.upkeep import Kind
from spanloom.storage.engine.conditions import Condition, fill_in
from spanloom.storage.engine.parameters import bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.storage.engine.lane import Lane

RETAINED = {
    "otel_traces": ("AcceptedAt", Kind.SPANS),
    "genai_events": ("AcceptedAt", Kind.SPANS),
    "trace_changes": ("AcceptedAt", Kind.SPANS),
    "trace_arrivals": ("AcceptedAt", Kind.SPANS),
    "extraction_progress": ("UpdatedAt", Kind.BOTH),
    "extraction_watermark": ("UpdatedAt", Kind.BOTH),
    "trajectories": ("UpdatedAt", Kind.TRAJECTORIES),
    "trajectory_list": ("UpdatedAt", Kind.TRAJECTORIES),
    "trajectory_changes": ("ChangedAt", Kind.TRAJECTORIES),
    "call_index": ("UpdatedAt", Kind.TRAJECTORIES),
    "conversation_members": ("UpdatedAt", Kind.TRAJECTORIES),
    "step_texts": ("UpdatedAt", Kind.TRAJECTORIES),
    "text_watermark": ("UpdatedAt", Kind.TRAJECTORIES),
    "replays": ("UpdatedAt", Kind.TRAJECTORIES),
}
"""The tables subject to retention, the column from which each counts, and its kind of data."""
NEVER_EXPIRES = frozenset(
    {
        *("annotations", "scores", "trajectory_snapshots"),
        *("annotation_queue_items", "annotation_queue_events"),
    }
)
"""Tables with rows of traces that never expire: what people wrote cannot be recreated."""
KEEPING = frozenset({"trajectories", "trajectory_list"})
"""Tables with ``IsKept``, which marks rows exempt from retention (``removal.py``)."""
OF_NO_PROJECT = frozenset({"replays", "extraction_watermark", "text_watermark"})
"""Tables whose rows belong to no project: only their TTL removes rows."""
DAY_S = 24 * 3600
_UNLESS_KEPT = "WHERE NOT IsKept"
_RETAINED_DAYS = re.compile(r"TTL toDateTime\(\w+\) \+ toIntervalDay\(\D*(\d+)")


def set_retention(lane: Lane, plan: RetentionPlan) -> None:
    """Set the TTL of every table to the longest term of all projects.

    A table that has it already is left alone: a new TTL makes ClickHouse rewrite the table.
    """
    for table, definition in lane.rows("table_definitions", tables=list(RETAINED)):
        column, kind = RETAINED[table]
        days = plan.longest_days(kind)
        is_kept = table not in KEEPING or _UNLESS_KEPT in definition
        if days == _days_in(definition) and (is_kept or not days):
            continue
        if days:
            statement = query("set_retention") + (
                f" DELETE {_UNLESS_KEPT}" if table in KEEPING else ""
            )
            lane.run(statement, table=table, column=column, days=days)
        else:
            lane.run(query("remove_retention"), table=table)


def retained_days(lane: Lane, table: str) -> int:
    """Return how many days a table keeps its rows; 0 is for ever."""
    found = lane.rows("table_definitions", tables=[table])
    return next((_days_in(definition) for _, definition in found), 0)


def remove_expired(lane: Lane, plan: RetentionPlan, now_s: int) -> int:
    """Remove the rows of projects whose terms are shorter than the table's; return how many.

    A table without such rows is not touched, so that a second call on one day changes nothing.
    """
    tables = [table for table in RETAINED if table not in OF_NO_PROJECT]
    return sum(_expire(lane, plan, table, now_s) for table in tables) if plan.projects else 0


def _expire(lane: Lane, plan: RetentionPlan, table: str, now_s: int) -> int:
    column, kind = RETAINED[table]
    where = {
        "table": table,
        "column": column,
        "projects": list(plan.projects),
        "cutoffs": [_cutoff_s(terms.days(kind), now_s) for terms in plan.projects.values()],
        "cutoff": _cutoff_s(plan.default.days(kind), now_s),
    }
    unless = Condition("NOT IsKept" if table in KEEPING else "true", {})
    ((count,),) = lane.rows("count_expired_rows", unless=unless, **where)
    if count:
        text, _ = fill_in(query("remove_expired_rows"), {"unless": unless})
        lane.run(text, **bind(where))
    return int(count)


def _days_in(definition: str) -> int:
    found = _RETAINED_DAYS.search(definition)
    return int(found[1]) if found else 0


def _cutoff_s(days: int, now_s: int) -> int:
    """Return the start of the oldest day to keep, in seconds since the epoch; 0 keeps all."""
    return (now_s // DAY_S - days) * DAY_S if days else 0
