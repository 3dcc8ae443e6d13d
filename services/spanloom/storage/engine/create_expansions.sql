CREATE TABLE IF NOT EXISTS schema_expansions
(
    number UInt32 COMMENT 'Number of the migration.',
    name String COMMENT 'Its name.',
    checksum String COMMENT 'SHA-256 of the text that adds, in hex.',
    applied_at DateTime64(3) DEFAULT now64(3) COMMENT 'When its additions were made.'
)
ENGINE = ReplacingMergeTree
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Exists while an upgrade is under way: what was added, beside which older releases work on.'
