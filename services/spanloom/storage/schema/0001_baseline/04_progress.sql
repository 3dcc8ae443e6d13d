-- How far the extractor has come. It asks for traces by their ids, which are random: in granules of
-- 8,192 rows each id met a granule of its own, and a hundred of a million traces took 90 ms.

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
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How far the extractor has come with each trace; read with FINAL.';

CREATE TABLE IF NOT EXISTS extraction_watermark
(
    Id UInt8 COMMENT 'Always 0: there is one watermark.',
    Second Int64 COMMENT 'What was stored before this second, by the clock of the store, is extracted or known to be unfinished.',
    UpdatedAt DateTime64(3) DEFAULT now64(3) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(UpdatedAt)
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'From where a new extractor looks for changes; read with FINAL.';
