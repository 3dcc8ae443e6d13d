"""Which tables hold something of a trace, and the condition under which a reader sees a row.

The conditions go to ClickHouse as ``additional_table_filters`` of a lane: every query on it, those
with FINAL too, leaves deleted rows out, and no query has to say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OF_TRACES = (
    "otel_traces",
    "genai_events",
    "trace_changes",
    "trace_arrivals",
    "trace_progress",
    "trajectories",
    "trajectory_list",
    "steps",
    "call_index",
    "conversation_members",
)
"""Every table with rows of traces, by ``Project`` and ``TraceId``: a deletion empties them all."""
NOT_OF_TRACES = {
    "schema_migrations": "what the keeper did",
    "access_keys": "who may come in, whatever is stored",
    "deletions": "the audit of deletions itself",
    "deleted_traces": "which traces are deleted; the keeper ends them with their deletion",
    "extraction_watermark": "how far the extractor has looked",
    "replays": "filters that somebody asked for, and how far it came",
}
"""Every other table that holds data, and what it has instead."""

_RAW = {
    "otel_traces": ("RowVersion", "StartTimeUnixNano"),
    "genai_events": ("RowVersion", "TimeUnixNano"),
    "trace_changes": ("Seq", None),
}
"""The tables an INSERT of the writer fills: each row's sequence, and its time if it has one."""

_NOTHING_DELETED = "(SELECT count() = 0 FROM deletions FINAL WHERE NOT IsOver)"
# As a hash: of strings, a set of a million traces takes four times as long to make.
_TRACE_LIVES = (
    "sipHash128(Project, TraceId) NOT IN (SELECT sipHash128(Project, TraceId) FROM deleted_traces)"
)


def _row_lives(seq: str, time: str | None) -> str:
    """Return the condition for what came out of a spool after its deletion was asked for."""
    covered = f"{time} < ifNull(scope.4, 18446744073709551615)" if time else "isNull(scope.4)"
    scopes = (
        "(SELECT groupArray((EveryProject, Projects, TraceId, StartBeforeUnixNano, UntilSeq))"
        " FROM deletions FINAL WHERE NOT IsOver AND ConversationId IS NULL)"
    )
    return (
        f"NOT arrayExists(scope -> {seq} <= scope.5"
        " AND (scope.1 OR has(scope.2, toString(Project)))"
        f" AND ifNull(scope.3, TraceId) = TraceId AND {covered}, {scopes})"
    )


def visible_rows() -> Mapping[str, str]:
    """Return table → condition, for the setting ``additional_table_filters``."""
    found = dict.fromkeys(OF_TRACES, _TRACE_LIVES)
    for table, (seq, time) in _RAW.items():
        found[table] = f"{_TRACE_LIVES} AND {_row_lives(seq, time)}"
    return {table: f"{_NOTHING_DELETED} OR ({condition})" for table, condition in found.items()}
