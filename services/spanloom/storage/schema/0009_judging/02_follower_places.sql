-- How far the parts of the service that follow the change feed have come; see ``following/``.
CREATE TABLE IF NOT EXISTS follower_places
(
    Follower LowCardinality(String) COMMENT 'What follows the feed: alerts or online-rules.',
    Place String CODEC(ZSTD(1)) COMMENT 'Position in the feed, as /v1/trajectories/changes has it in `next`.',
    At DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was reached, by the clock of the store; the latest counts.'
)
ENGINE = ReplacingMergeTree(At)
ORDER BY Follower
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How far each follower of the change feed has come.';
