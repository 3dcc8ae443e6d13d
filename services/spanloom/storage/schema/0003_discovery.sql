-- What changed: narrow tables from which the extractor finds the traces it has to build.

CREATE TABLE IF NOT EXISTS trace_changes
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that got spans.',
    Seq UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought them.',
    AcceptedAt DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'When the request was accepted.',
    HasRoot Bool CODEC(ZSTD(1)) COMMENT 'Whether a span without parent was among them.',
    Spans UInt32 CODEC(ZSTD(1)) COMMENT 'How many spans the request brought; repeats count again.'
)
ENGINE = MergeTree
ORDER BY (Seq, Project, TraceId)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'One row per trace and request, written in the same INSERT as the spans.';

CREATE MATERIALIZED VIEW IF NOT EXISTS trace_changes_writer TO trace_changes AS
SELECT Project, TraceId, RowVersion AS Seq, max(AcceptedAt) AS AcceptedAt,
       max(ParentSpanId = '') AS HasRoot, count() AS Spans
FROM otel_traces
GROUP BY Project, TraceId, RowVersion;

CREATE TABLE IF NOT EXISTS trace_progress
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version that went into the newest attempt.',
    Status LowCardinality(String) COMMENT 'live, settled, partial or failed.',
    Attempts UInt32 CODEC(ZSTD(1)) COMMENT 'Failed attempts in a row.',
    UpdatedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this was written.'
)
ENGINE = ReplacingMergeTree(Seq)
ORDER BY (Project, TraceId)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'How far the extractor has come with each trace; read with FINAL.';
