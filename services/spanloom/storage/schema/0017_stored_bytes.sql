-- How much is stored of each project, for its quota: bytes beside each change, summed by a
-- projection. That is a row for each project and part, which deletions and retention keep true.

ALTER TABLE trace_changes
    ADD COLUMN IF NOT EXISTS Bytes UInt64 DEFAULT 1024 * Spans CODEC(ZSTD(1)) COMMENT 'Names, texts and attributes of what was brought, before compression; a guess in rows older than this column.';

ALTER TABLE trace_changes ADD PROJECTION IF NOT EXISTS stored_bytes (SELECT Project, sum(Bytes) GROUP BY Project);

ALTER TABLE trace_changes MATERIALIZE PROJECTION stored_bytes;

ALTER TABLE trace_changes_writer MODIFY QUERY
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt,
       max(ParentSpanId = '') AS HasRoot, count() AS Spans, now64(3) AS InsertedAt,
       sum(256 + byteSize(SpanName, TraceState, StatusMessage, SpanAttributes, ResourceAttributes, ScopeAttributes,
                          `Events.Name`, `Events.Attributes`, `Links.TraceState`, `Links.Attributes`)) AS Bytes
FROM otel_traces
GROUP BY Project, TraceId, RowVersion;

ALTER TABLE trace_changes_events_writer MODIFY QUERY
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt, false AS HasRoot, count() AS Spans,
       now64(3) AS InsertedAt, sum(256 + byteSize(EventName, Attributes)) AS Bytes
FROM genai_events
GROUP BY Project, TraceId, RowVersion;
