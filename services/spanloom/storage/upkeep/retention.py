"""How long tables keep their rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from spanloom.storage.engine.lane import Lane

RETAINED = {
    "otel_traces": "AcceptedAt",
    "genai_events": "AcceptedAt",
    "trace_changes": "AcceptedAt",
    "trace_arrivals": "AcceptedAt",
    "trace_progress": "UpdatedAt",
    "extraction_watermark": "UpdatedAt",
    "trajectories": "UpdatedAt",
    "trajectory_list": "UpdatedAt",
    "steps": "UpdatedAt",
    "call_index": "UpdatedAt",
    "conversation_members": "UpdatedAt",
    "replays": "UpdatedAt",
}
"""The tables that retention empties, and the column of each from which it counts."""
_RETAINED_DAYS = re.compile(r"TTL toDateTime\(\w+\) \+ toIntervalDay\(\D*(\d+)")


def set_retention(lane: Lane, days: int) -> None:
    """Remove rows ``days`` after they were accepted or stored; 0 keeps them.

    A table that has it already is left alone: a new TTL makes ClickHouse rewrite the table.
    """
    for table, definition in lane.rows("table_definitions", tables=list(RETAINED)):
        found = _RETAINED_DAYS.search(definition)
        if days == (int(found[1]) if found else 0):
            continue
        if days:
            lane.run(query("set_retention"), table=table, column=RETAINED[table], days=days)
        else:
            lane.run(query("remove_retention"), table=table)
