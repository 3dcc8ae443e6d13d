"""Which tables hold rows of traces, and the condition under which a reader sees a row.

The conditions go to ClickHouse as ``additional_table_filters`` of a query (``hiding.py``). They
leave deleted rows out, also with FINAL, and the text of the query need not mention them.
"""

from __future__ import annotations

OF_TRACES = (
    "otel_traces",
    "genai_events",
    "trace_changes",
    "trace_arrivals",
    "extraction_progress",
    "trajectories",
    "trajectory_list",
    "trajectory_changes",
    "call_index",
    "conversation_members",
    "step_texts",
    "annotations",
    "scores",
    "trajectory_snapshots",
    "annotation_queue_items",
    "annotation_queue_events",
)
"""Every table with rows of traces, by ``Project`` and ``TraceId``: a deletion empties them all."""
NOT_OF_TRACES = {
    "schema_migrations": "what the keeper did",
    "access_keys": "who may come in, whatever is stored",
    "deletions": "the audit of deletions itself",
    "deleted_traces": "which traces are deleted; the keeper ends them with their deletion",
    "extraction_watermark": "how far the extractor has looked",
    "text_watermark": "how far the indexer has looked",
    "annotation_schemes": "what annotators are asked, of no trace",
    "annotation_queues": "who annotates what, of no trace",
    "replays": "filters that somebody asked for, and how far it came",
}
"""Every other table that holds data, and what it holds."""

_RAW = {
    "otel_traces": ("RowVersion", "StartTimeUnixNano"),
    "genai_events": ("RowVersion", None),
    "trace_changes": ("Seq", None),
}
"""The tables that the writer's INSERT fills: the columns of a row's sequence and time, if any.

A log record may have no time; the start of its trace comes from the spans.
"""

_NOTHING_DELETED = "(SELECT count() = 0 FROM deletions FINAL WHERE NOT IsOver)"
# As a hash: for a million traces a set of strings takes four times as long to build.
_TRACE_LIVES = (
    "sipHash128(Project, TraceId) NOT IN (SELECT sipHash128(Project, TraceId) FROM deleted_traces)"
)


def row_lives(table: str) -> str:
    """Return the condition under which any query sees a row of a table."""
    late = late_rows_live(table)
    condition = f"{_TRACE_LIVES} AND {late}" if late else _TRACE_LIVES
    return f"{_NOTHING_DELETED} OR ({condition})"


def late_rows_live(table: str) -> str:
    """Return the condition that hides rows stored from a spool after their deletion was requested.

    Empty for a table that the writer's INSERT does not fill.
    """
    if table not in _RAW:
        return ""
    seq, time = _RAW[table]
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
