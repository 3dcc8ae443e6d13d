"""Which tables hold something of a trace, and the condition under which a reader sees a row.

The conditions go to ClickHouse as ``additional_table_filters`` of a query (``hiding.py``), which
leaves deleted rows out, with FINAL too, and has to say nothing of it.
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
"""Every other table that holds data, and what it has instead."""

_RAW = {
    "otel_traces": ("RowVersion", "StartTimeUnixNano"),
    "genai_events": ("RowVersion", None),
    "trace_changes": ("Seq", None),
}
"""The tables an INSERT of the writer fills: each row's sequence, and its time if it tells one.

That of a log record may be left out; when its trace started the spans say.
"""

_NOTHING_DELETED = "(SELECT count() = 0 FROM deletions FINAL WHERE NOT IsOver)"
# As a hash: of strings, a set of a million traces takes four times as long to make.
_TRACE_LIVES = (
    "sipHash128(Project, TraceId) NOT IN (SELECT sipHash128(Project, TraceId) FROM deleted_traces)"
)


def row_lives(table: str) -> str:
    """Return the condition under which a row of a table is seen, whatever is asked for."""
    late = late_rows_live(table)
    condition = f"{_TRACE_LIVES} AND {late}" if late else _TRACE_LIVES
    return f"{_NOTHING_DELETED} OR ({condition})"


def late_rows_live(table: str) -> str:
    """Return the condition for what came out of a spool after its deletion was asked for.

    Empty for a table that no INSERT of the writer fills.
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
