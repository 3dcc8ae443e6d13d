-- What changed: narrow tables from which the extractor finds the traces it has to build. `InsertedAt`
-- is by the store's own clock: times and sequences of senders and collectors do not tell what is new.
-- A collector that drains an old spool brings spans whose sequence lies below what the extractor has
-- seen already; only the count in `trace_arrivals` shows it.

CREATE TABLE IF NOT EXISTS trace_changes
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that got spans.',
    Seq UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought them.',
    AcceptedAt DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'When the request was accepted.',
    HasRoot Bool CODEC(ZSTD(1)) COMMENT 'Whether a span without parent was among them.',
    Spans UInt32 CODEC(ZSTD(1)) COMMENT 'How many spans the request brought; repeats count again.',
    InsertedAt DateTime64(3) CODEC(Delta, ZSTD(1)) COMMENT 'When the INSERT of this row began, by the clock of the store.',
    Bytes UInt64 CODEC(ZSTD(1)) COMMENT 'Names, texts and attributes of what was brought, before compression.',
    INDEX inserted_at InsertedAt TYPE minmax GRANULARITY 1,
    -- For quotas: a row for each project and part, which deletions and retention keep true.
    PROJECTION stored_bytes (SELECT Project, sum(Bytes) GROUP BY Project)
)
ENGINE = MergeTree
ORDER BY (Seq, Project, TraceId)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'One row per trace and request, written in the same INSERT as the spans.';

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_changes_writer TO trace_changes AS
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt,
       max(ParentSpanId = '') AS HasRoot, count() AS Spans, now64(3) AS InsertedAt,
       sum(256 + byteSize(SpanName, TraceState, StatusMessage, SpanAttributes, ResourceAttributes, ScopeAttributes,
                          `Events.Name`, `Events.Attributes`, `Links.TraceState`, `Links.Attributes`)) AS Bytes
FROM otel_traces
GROUP BY Project, TraceId, RowVersion;

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_changes_events_writer TO trace_changes AS
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt, false AS HasRoot, count() AS Spans,
       now64(3) AS InsertedAt, sum(256 + byteSize(EventName, Attributes)) AS Bytes
FROM genai_events
GROUP BY Project, TraceId, RowVersion;

CREATE TABLE IF NOT EXISTS trace_arrivals
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that got spans.',
    Spans SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)) COMMENT 'How many spans arrived; repeats count again.',
    AcceptedAt SimpleAggregateFunction(max, DateTime64(9)) CODEC(ZSTD(1)) COMMENT 'When the newest of them was accepted.'
)
ENGINE = AggregatingMergeTree
ORDER BY (Project, TraceId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How many spans arrived of each trace; sum them by trace.';

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_arrivals_writer TO trace_arrivals AS
SELECT Project, TraceId, sum(Spans) AS Spans, max(AcceptedAt) AS AcceptedAt
FROM trace_changes
GROUP BY Project, TraceId;
