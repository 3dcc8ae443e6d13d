-- How much arrived of each trace: a collector that drains an old spool brings spans whose sequence
-- lies below what the extractor has seen already, and only the count tells.

CREATE TABLE IF NOT EXISTS trace_arrivals
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that got spans.',
    Spans SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)) COMMENT 'How many spans arrived; repeats count again.',
    AcceptedAt SimpleAggregateFunction(max, DateTime64(9)) CODEC(ZSTD(1)) COMMENT 'When the newest of them was accepted.'
)
ENGINE = AggregatingMergeTree
ORDER BY (Project, TraceId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'How many spans arrived of each trace; sum them by trace.';

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_arrivals_writer TO trace_arrivals AS
SELECT Project, TraceId, sum(Spans) AS Spans, max(AcceptedAt) AS AcceptedAt
FROM trace_changes
GROUP BY Project, TraceId;

ALTER TABLE trace_progress ADD COLUMN IF NOT EXISTS Arrived UInt64 CODEC(ZSTD(1)) COMMENT 'How many spans had arrived when the newest attempt began to read; 0 is unknown.' AFTER Attempts;
