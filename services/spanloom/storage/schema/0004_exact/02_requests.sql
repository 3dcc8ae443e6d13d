-- What each request brought of a trace, by the ids of its spans. A build is whole if it read each of
-- these spans in this version or a later one, whatever became visible first (ADR 65).
CREATE TABLE IF NOT EXISTS trace_requests
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that got spans.',
    Seq UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought them.',
    IsEvents Bool CODEC(ZSTD(1)) COMMENT 'Whether it brought content events instead of spans.',
    Mark UInt64 CODEC(LZ4) COMMENT 'Fingerprint of what it brought: two requests of one sequence are two rows.',
    Spans UInt32 CODEC(ZSTD(1)) COMMENT 'How many spans it brought; 0 if the trace is only to be built again.',
    Finished Array(UInt64) CODEC(LZ4) COMMENT 'Ids of its finished spans, or of its content events, as numbers; empty if it came before this table.',
    Open Array(UInt64) CODEC(LZ4) COMMENT 'Ids of its open spans, without an end, as numbers.',
    AcceptedAt DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'When the request was accepted; retention counts from here.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Seq, IsEvents, Mark)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What each request brought of each trace; a request that is stored twice is one row once merged.';

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_requests_writer TO trace_requests AS
SELECT Project, TraceId, Seq, false AS IsEvents, sum(cityHash64(SpanId, RowVersion)) AS Mark, count() AS Spans,
       groupUniqArrayIf(reinterpretAsUInt64(unhex(SpanId)), RowVersion = Seq) AS Finished,
       groupUniqArrayIf(reinterpretAsUInt64(unhex(SpanId)), RowVersion != Seq) AS Open,
       max(AcceptedAt) AS AcceptedAt
FROM otel_traces
GROUP BY Project, TraceId, Seq;

-- An event is known by its span and its own id.
CREATE MATERIALIZED VIEW IF NOT EXISTS trace_requests_events_writer TO trace_requests AS
SELECT Project, TraceId, RowVersion AS Seq, true AS IsEvents, sum(cityHash64(SpanId, EventId)) AS Mark, count() AS Spans,
       groupUniqArray(bitXor(reinterpretAsUInt64(unhex(SpanId)), reinterpretAsUInt64(unhex(EventId)))) AS Finished,
       CAST([], 'Array(UInt64)') AS Open,
       max(AcceptedAt) AS AcceptedAt
FROM genai_events
GROUP BY Project, TraceId, RowVersion;

-- Requests that were stored before: without ids, for all of them is visible.
-- Repeated, it inserts only those that are missing.
INSERT INTO trace_requests (Project, TraceId, Seq, Spans, AcceptedAt)
SELECT Project, TraceId, Seq, Spans, AcceptedAt
FROM trace_changes
WHERE sipHash64(Project, TraceId, Seq) NOT IN (SELECT sipHash64(Project, TraceId, Seq) FROM trace_requests);

-- A row records what was built; it stays true, whoever writes another one.
ALTER TABLE extraction_progress
    ADD COLUMN IF NOT EXISTS Requests UInt64 CODEC(ZSTD(1)) COMMENT 'How many requests had arrived when the newest attempt began to read; 0 is unknown.' AFTER Arrived,
    ADD COLUMN IF NOT EXISTS Digest UInt64 CODEC(LZ4) COMMENT 'Fingerprint of these requests.' AFTER Requests,
    ADD COLUMN IF NOT EXISTS IsWhole Bool CODEC(ZSTD(1)) COMMENT 'Whether it read all that they brought.' AFTER Digest;

-- Ids are random: as hexadecimal digits LZ4 leaves them as they are, and ZSTD halves them.
ALTER TABLE otel_traces
    MODIFY COLUMN SpanId String CODEC(ZSTD(1)) COMMENT 'Span id, 16 lowercase hex digits.';
