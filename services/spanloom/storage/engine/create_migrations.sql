CREATE TABLE IF NOT EXISTS schema_migrations
(
    number UInt32 COMMENT 'Number of the schema file.',
    name String COMMENT 'Name of the schema file.',
    checksum String COMMENT 'SHA-256 of its text, in hex.',
    applied_at DateTime DEFAULT now() COMMENT 'When it was applied.'
)
ENGINE = ReplacingMergeTree
ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'Which schema files this store has seen.'
