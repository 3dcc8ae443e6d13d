"""Brings a store's schema up to date: each numbered file once, in order.

Safe to interrupt: every statement says ``IF NOT EXISTS``, ``OR REPLACE`` or ``MODIFY QUERY``, and a
file counts as applied only after its last statement.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from spanloom.core.errors import SchemaTooNewError
from spanloom.storage.engine.statements import query, schema_files

if TYPE_CHECKING:
    from spanloom.storage.engine.lane import Lane

RETAINED = {
    "otel_traces": "AcceptedAt",
    "genai_events": "AcceptedAt",
    "trace_changes": "AcceptedAt",
    "trace_arrivals": "AcceptedAt",
    "trace_progress": "UpdatedAt",
    "trajectories": "UpdatedAt",
    "trajectory_list": "UpdatedAt",
    "steps": "UpdatedAt",
    "call_index": "UpdatedAt",
    "conversation_index": "UpdatedAt",
    "replays": "UpdatedAt",
}
"""The tables that retention empties, and the column of each from which it counts."""
_RETAINED_DAYS = re.compile(r"TTL toDateTime\(\w+\) \+ toIntervalDay\(\D*(\d+)")


def migrate(lane: Lane) -> list[str]:
    """Apply what is missing and give the names of the files applied now.

    Raises ``SchemaTooNewError`` if the store has seen files that this version does not have.
    """
    lane.run(query("create_migrations"))
    applied = {number: name for number, name, _ in lane.rows("applied_migrations")}
    known = schema_files()
    if newer := [name for number, name in applied.items() if number > known[-1].number]:
        raise SchemaTooNewError(
            f"the store was written by a newer Spanloom (schema {newer[-1]}, this version knows "
            f"{known[-1].name}): upgrade Spanloom, or use another data directory"
        )
    missing = [file for file in known if file.number not in applied]
    for file in missing:
        for statement in file.statements:
            lane.run(statement)
        checksum = hashlib.sha256(file.text.encode()).hexdigest()
        lane.run(query("record_migration"), number=file.number, name=file.name, checksum=checksum)
    return [file.name for file in missing]


def set_retention(lane: Lane, days: int) -> None:
    """Let rows go ``days`` after they were accepted or stored; 0 keeps them.

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
