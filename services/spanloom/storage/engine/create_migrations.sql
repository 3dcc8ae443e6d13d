CREATE TABLE IF NOT EXISTS schema_migrations
(
    number UInt32 COMMENT 'Number of the migration.',
    name String COMMENT 'Its name.',
    checksum String COMMENT 'SHA-256 of its text, in hex, empty while it is being applied.',
    applied_at DateTime DEFAULT now() COMMENT 'When it was applied.'
)
ENGINE = ReplacingMergeTree
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Which migrations this store has seen.'
