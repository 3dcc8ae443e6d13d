"""Applies retention to tables, and removes rows of deleted traces.

The longest retention period of all projects is the table's TTL, which ClickHouse applies in its
merges. The keeper deletes rows of projects with shorter periods, at most once a day, because
cutoffs are whole days.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.storage.deletions.hiding import OF_TRACES
from spanloom.storage.deletions.store import (
    read_deletions,
    read_traces,
    record_deletion,
    record_traces,
)
from spanloom.storage.deletions.torn import find_built_from_deleted
from spanloom.storage.engine.parameters import Condition, bind, fill_in
from spanloom.storage.engine.statements import query
from spanloom.storage.spans.revisits import record_revisits
from spanloom.storage.tables import TABLES

if TYPE_CHECKING:
    from spanloom.core.model.upkeep import RetentionPlan
    from spanloom.storage.engine.connection import Connection


EXPIRING = {table.name: table.expiry for table in TABLES if table.expiry}
"""The retention of each table that has one, in the order in which rows are removed."""
KEEPING = [table.name for table in TABLES if table.has_kept]
DAY_S = 24 * 3600
_UNLESS_KEPT = "WHERE NOT IsKept"
_RETAINED_DAYS = re.compile(r"TTL toDateTime\(\w+\) \+ toIntervalDay\(\D*(\d+)")


def set_retention(connection: Connection, plan: RetentionPlan) -> None:
    """Set the TTL of every table to the longest retention of all projects.

    A table that already has this TTL is not changed, because a new TTL makes ClickHouse rewrite the
    table.
    """
    for table, definition in connection.rows("table_definitions", tables=list(EXPIRING)):
        expiry = EXPIRING[table]
        days = plan.longest_days(expiry.kind)
        is_kept = table not in KEEPING or _UNLESS_KEPT in definition
        if days == _days_in(definition) and (is_kept or not days):
            continue
        if days:
            statement = query("set_retention") + (
                f" DELETE {_UNLESS_KEPT}" if table in KEEPING else ""
            )
            connection.run(statement, table=table, column=expiry.column, days=days)
        else:
            connection.run(query("remove_retention"), table=table)


def retained_days(connection: Connection, table: str) -> int:
    """Return the days for which a table stores its rows; 0 means without limit."""
    found = connection.rows("table_definitions", tables=[table])
    return next((_days_in(definition) for _, definition in found), 0)


def remove_expired(connection: Connection, plan: RetentionPlan, now_s: int) -> int:
    """Remove expired rows of projects with a shorter retention than the table; return the number.

    A table without such rows is not changed, so a second call on one day changes nothing.
    """
    tables = [table for table, expiry in EXPIRING.items() if expiry.is_by_project]
    return sum(_expire(connection, plan, table, now_s) for table in tables) if plan.projects else 0


def _expire(connection: Connection, plan: RetentionPlan, table: str, now_s: int) -> int:
    expiry = EXPIRING[table]
    where = {
        "table": table,
        "column": expiry.column,
        "projects": list(plan.projects),
        "cutoffs": [_cutoff_s(terms.days(expiry.kind), now_s) for terms in plan.projects.values()],
        "cutoff": _cutoff_s(plan.default.days(expiry.kind), now_s),
    }
    unless = Condition("NOT IsKept" if table in KEEPING else "true", {})
    ((count,),) = connection.rows("count_expired_rows", unless=unless, **where)
    if count:
        text, _ = fill_in(query("remove_expired_rows"), {"unless": unless})
        connection.run(text, **bind(where))
    return int(count)


def _days_in(definition: str) -> int:
    found = _RETAINED_DAYS.search(definition)
    return int(found[1]) if found else 0


def _cutoff_s(days: int, now_s: int) -> int:
    """Return the start of the oldest day to retain, in seconds since the epoch; 0 for all days."""
    return (now_s // DAY_S - days) * DAY_S if days else 0


def newest_deletion(connection: Connection) -> str:
    """Return the id of the newest deletion; empty if there is none."""
    return next((found.id for found in read_deletions(connection, 1)), "")


def remove_deleted(connection: Connection, over_before_ns: int) -> int:
    """Remove every row of deleted traces; return the number.

    Spans stored after their deletion was requested may add further traces, so scopes are read
    again. Then deletions from before ``over_before_ns`` end: spans that arrive for their traces
    from now on are stored like any other.
    """
    lasting = read_deletions(connection, only_lasting=True)
    for deletion in lasting:
        known = read_traces(connection, deletion.scope, deletion.until_seq)
        record_traces(connection, deletion.id, known)
    if lasting:
        _rebuild_partly_deleted(connection)
    removed = sum(_empty(connection, table) for table in OF_TRACES) if lasting else 0
    for deletion in lasting:
        if deletion.requested_at_ns < over_before_ns:
            connection.run(query("end_deletion"), id=deletion.id)
            record_deletion(connection, replace(deletion, step=deletion.step + 1, is_over=True))
    return removed


def _rebuild_partly_deleted(connection: Connection) -> None:
    """Make traces due for another build if their documents still contain deleted traces.

    That is so if a deletion was interrupted. Call this before the rows of deleted traces are
    removed; after that the traces to build cannot be found.
    """
    record_revisits(connection, find_built_from_deleted(connection))


def _empty(connection: Connection, table: str) -> int:
    """Remove the deleted rows of a table; a table without deleted rows is not changed."""
    ((count,),) = connection.rows("count_deleted_rows", table=table)
    if count:
        connection.run(query("remove_deleted_rows"), table=table)
    return int(count)


_KEEP = ("count_to_keep_rows", "keep_rows")
_RELEASE = ("count_to_release_rows", "release_rows")


def keep_annotated(connection: Connection, plan: RetentionPlan) -> int:
    """Flag the rows of annotated trajectories as exempt, or unflag all; return how many changed.

    A table without such rows is not changed. The row of a newer version is not flagged yet, but its
    retention has begun again, so it has at least a day left.
    """
    names = _KEEP if plan.keeps_annotated else _RELEASE
    return sum(_mark(connection, *names, table) for table in KEEPING)


def _mark(connection: Connection, counting: str, statement: str, table: str) -> int:
    ((count,),) = connection.rows(counting, table=table)
    if count:
        connection.run(query(statement), table=table)
    return int(count)
