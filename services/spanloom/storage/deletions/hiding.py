"""Hides the rows of deleted traces from queries, in the cheapest way for each query.

The conditions are sent to ClickHouse as ``additional_table_filters`` of a query. They exclude
deleted rows, also with FINAL, and the text of the query does not need to contain them.

A deletion is stored for weeks and may have a million traces; building a set of them takes most of a
second per query. So if a query names its traces, the deleted traces are looked up by key and
removed from its parameters, and only a query that names no traces (a comparison of all of history)
gets the set. While nothing is deleted, in a store that only this process uses, queries run
unchanged.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from spanloom.storage.engine.parameters import Condition, batched, without
from spanloom.storage.engine.statements import query
from spanloom.storage.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.hiding import Queries


OF_TRACES = tuple(table.name for table in TABLES if table.has_traces)
"""The tables with rows of traces, in the order of removing deleted rows."""
_ARRIVALS = {table.name: table.arrival for table in TABLES if table.arrival}

_NOTHING_DELETED = "(SELECT count() = 0 FROM deletions FINAL WHERE NOT IsOver)"
# As a hash, because for a million traces a set of strings takes four times as long to build.
_TRACE_LIVES = (
    "sipHash128(Project, TraceId) NOT IN (SELECT sipHash128(Project, TraceId) FROM deleted_traces)"
)


def row_lives(table: str) -> str:
    """Return the condition that a row of a table is not deleted."""
    late = late_rows_live(table)
    condition = f"{_TRACE_LIVES} AND {late}" if late else _TRACE_LIVES
    return f"{_NOTHING_DELETED} OR ({condition})"


def alive(connection: Connection, table: str) -> Condition:
    """Return the condition that a row is not deleted, for the text of a query that names no trace.

    Readers' connections may not change settings, so they cannot send it as a table filter.
    """
    if not connection.hiding.may_hide:
        return Condition("true", {})
    return Condition(f"({row_lives(table)})", {})


def late_rows_live(table: str) -> str:
    """Return the condition that hides rows stored from a spool after their deletion was requested.

    The condition is empty for a table that the writer's INSERT does not fill.
    """
    if table not in _ARRIVALS:
        return ""
    seq, start = _ARRIVALS[table]
    covered = f"{start} < ifNull(scope.4, 18446744073709551615)" if start else "isNull(scope.4)"
    scopes = (
        "(SELECT groupArray((EveryProject, Projects, TraceId, StartBeforeUnixNano, UntilSeq))"
        " FROM deletions FINAL WHERE NOT IsOver AND ConversationId IS NULL)"
    )
    return (
        f"NOT arrayExists(scope -> {seq} <= scope.5"
        " AND (scope.1 OR has(scope.2, toString(Project)))"
        f" AND ifNull(scope.3, TraceId) = TraceId AND {covered}, {scopes})"
    )


NEED_NO_SET = {
    "any_event": "returns whether there is any event",
    "inserted": "returns times",
    "changes_since": "deleted_among filters its result",
    "find_calls": "newest_versions is called with its result",
    "find_calls_near": "newest_versions is called with its result",
    "known_call_keys": "newest_versions is called with its result",
    "list_candidates": "deleted_among filters its result",
    "newest_places": "its parameters are results of list_candidates or heads",
    "step_rows": "its parameters are results of the list",
    "conversation_candidates": "list_page is called with its result",
    "conversation_neighbours": "list_page is called with its result",
    "newest_conversations": "conversation_page is called with its result",
    "conversation_keys": "conversation_page is called with its result",
    "announcements": "list_page is called with its result",
    "newest_announcement": "returns a time",
    "experiment_scores": "deleted_among filters its result",
    "judged_tries": "returns items; deleted runs are not judged again",
    "changed_since": "text_hashes is called with its result",
    "indexed_texts": "its parameters are results of text_hashes",
    "text_candidates": "current_texts is called with its result",
    "read_texts": "its parameters are results of current_texts",
    "online_waiting": "deleted_among filters its result",
    "online_judged_before": "deleted_among filters its result",
    "online_spent": "returns sums, no runs",
    "words_beginning": "returns words, no runs",
}
"""Queries that name no trace and still need no set of deleted traces, each with the reason."""


class DeletedRows:
    """Implements ``Hiding`` for the rows of deleted traces, for all connections of one store."""

    def __init__(self, *, has_deletions: bool) -> None:
        """Hide rows at once if ``has_deletions``: always on a server, where others may delete."""
        self._has_deletions = has_deletions

    @property
    def may_hide(self) -> bool:
        """See ``Hiding.may_hide``: whether anything may be deleted."""
        return self._has_deletions

    def begin(self) -> None:
        """Hide deleted rows from now on; call this before recording a deletion."""
        self._has_deletions = True

    def narrowed(
        self, connection: Queries, parameters: Mapping[str, object]
    ) -> Mapping[str, object]:
        """See ``Hiding.narrowed``."""
        if not self._has_deletions:
            return parameters
        if "keys" in parameters:
            keys = cast("Sequence[TraceKey]", parameters["keys"])
            deleted = self.deleted_among(connection, keys)
            return {**parameters, "keys": [key for key in keys if key not in deleted]}
        if (trace_id := parameters.get("trace_id")) is None:
            return parameters
        if "reach" in parameters:
            reach = cast("Condition", parameters["reach"])
            found = connection.rows("deleted_trace", deleted_id=trace_id, reach=reach)
            projects = [row.Project for row in found]
            return {**parameters, "reach": without(reach, projects) if projects else reach}
        key = (cast("str", parameters["project"]), cast("str", trace_id))
        return (
            {**parameters, "trace_id": ""} if self.deleted_among(connection, [key]) else parameters
        )

    def conditions(self, name: str, parameters: Mapping[str, object]) -> Mapping[str, str]:
        """See ``Hiding.conditions``."""
        if not self._has_deletions:
            return {}
        if name in NEED_NO_SET or "keys" in parameters or parameters.get("trace_id") is not None:
            seen = {table: late_rows_live(table) for table in _tables_of(name)}
            return {table: condition for table, condition in seen.items() if condition}
        return {table: row_lives(table) for table in _tables_of(name)}

    def deleted_among(
        self, connection: Queries, keys: Iterable[tuple[str, str]]
    ) -> AbstractSet[tuple[str, str]]:
        """See ``Hiding.deleted_among``."""
        if not self._has_deletions:
            return frozenset()
        return {
            (row.Project, row.TraceId)
            for some in batched(list(keys))
            for row in connection.rows("deleted_keys", traces=some)
        }


@cache
def _tables_of(name: str) -> Sequence[str]:
    """Return the tables of traces that a named query may read."""
    return [table for table in OF_TRACES if table in query(name)]
