CREATE TABLE IF NOT EXISTS upgrade_writers
(
    Source LowCardinality(String) COMMENT 'The table written to.',
    Writer String COMMENT 'The log_comment of the INSERT, empty of 0.1.0.',
    SeenAt DateTime64(3) COMMENT 'When it last wrote.'
)
ENGINE = ReplacingMergeTree(SeenAt)
ORDER BY (Source, Writer)
SETTINGS old_parts_lifetime = 10, non_replicated_deduplication_window = 0
COMMENT 'Exists while an upgrade is under way: when older releases last wrote.'
