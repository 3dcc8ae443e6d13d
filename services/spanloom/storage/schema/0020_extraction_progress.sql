-- How far the extractor has come, in granules of 256 rows instead of 8,192. It asks for traces by
-- their ids, which are random: each met a granule of its own. Of a million traces a hundred took
-- 90 ms. A table keeps its granularity, so this is a new one.

CREATE TABLE IF NOT EXISTS extraction_progress
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version that went into the newest attempt.',
    Status LowCardinality(String) COMMENT 'live, settled, partial or failed.',
    Attempts UInt32 CODEC(ZSTD(1)) COMMENT 'Failed attempts in a row.',
    Arrived UInt64 CODEC(ZSTD(1)) COMMENT 'How many spans had arrived when the newest attempt began to read; 0 is unknown.',
    Error String CODEC(ZSTD(1)) COMMENT 'Why the newest attempt failed; empty if it did not.',
    UpdatedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this was written.',
    INDEX failed_attempts Attempts TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(Seq)
ORDER BY (Project, TraceId)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How far the extractor has come with each trace; read with FINAL.';

-- A start that was killed behind the last statement finds nothing left to take over.
CREATE TABLE IF NOT EXISTS trace_progress AS extraction_progress;

-- Said twice it changes nothing: of equal keys one row stays.
INSERT INTO extraction_progress (Project, TraceId, Seq, Status, Attempts, Arrived, Error, UpdatedAt)
SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Error, UpdatedAt
FROM trace_progress FINAL;

DROP TABLE IF EXISTS trace_progress;
