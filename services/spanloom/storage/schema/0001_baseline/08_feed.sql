-- The change feed: a row for each version of a trajectory, by the time at which it began to be stored,
-- and one for each change of its annotations or scores.

CREATE TABLE IF NOT EXISTS trajectory_changes
(
    ChangedAt DateTime64(6) DEFAULT now64(6) CODEC(Delta, ZSTD(1)) COMMENT 'When the row began to be stored, by the clock of the store; retention counts from here.',
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    Status LowCardinality(String) COMMENT 'live, settled, partial or failed.',
    StartTimeUnixNano UInt64 CODEC(ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    IsSaid Bool COMMENT 'Whether annotations or scores changed, and no version was stored.'
)
ENGINE = MergeTree
ORDER BY (ChangedAt, Project, TraceId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Which trajectories changed, in the order of time; the same version may be there twice.';
