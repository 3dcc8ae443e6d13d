-- When the store took a change, by its own clock: what senders and collectors say of time, or
-- number, does not tell what is new. In rows older than this column the time of acceptance stands in.

ALTER TABLE trace_changes
    ADD COLUMN IF NOT EXISTS InsertedAt DateTime64(3) DEFAULT AcceptedAt CODEC(Delta, ZSTD(1)) COMMENT 'When the INSERT of this row began, by the clock of the store.',
    ADD INDEX IF NOT EXISTS inserted_at InsertedAt TYPE minmax GRANULARITY 1;

ALTER TABLE trace_changes_writer MODIFY QUERY
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt,
       max(ParentSpanId = '') AS HasRoot, count() AS Spans, now64(3) AS InsertedAt
FROM otel_traces
GROUP BY Project, TraceId, RowVersion;

ALTER TABLE trace_changes_events_writer MODIFY QUERY
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt, false AS HasRoot, count() AS Spans,
       now64(3) AS InsertedAt
FROM genai_events
GROUP BY Project, TraceId, RowVersion;

CREATE TABLE IF NOT EXISTS extraction_watermark
(
    Id UInt8 COMMENT 'Always 0: there is one watermark.',
    Second Int64 COMMENT 'What was stored before this second, by the clock of the store, is extracted or known to be unfinished.',
    UpdatedAt DateTime64(3) DEFAULT now64(3) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(UpdatedAt)
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'From where a new extractor looks for changes; read with FINAL.';
