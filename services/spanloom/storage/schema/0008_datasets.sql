-- Datasets: contents of items are stored once, by their hash; drafts and versions refer to them, so that a version
-- costs a short row for each item. Nothing here is of a trace: a content is a copy, and stays when its run has gone.
CREATE TABLE IF NOT EXISTS datasets
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the dataset.',
    Description String CODEC(ZSTD(1)) COMMENT 'What it is for.',
    Evaluators String CODEC(ZSTD(1)) COMMENT 'JSON: the evaluators that it carries.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was put, in microseconds since the epoch; the latest counts.',
    PutBy LowCardinality(String) COMMENT 'Who put it, as they call themselves; or empty.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Name)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Datasets by project and name; read with FINAL.';

CREATE TABLE IF NOT EXISTS dataset_contents
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Dataset String CODEC(ZSTD(1)) COMMENT 'Name of the dataset.',
    Hash String CODEC(ZSTD(1)) COMMENT 'SHA-256 of the content, in hex.',
    Content String CODEC(ZSTD(3)) COMMENT 'JSON of an item.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Dataset, Hash)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Contents of items of datasets, each once by its hash.';

CREATE TABLE IF NOT EXISTS dataset_drafts
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Dataset String CODEC(ZSTD(1)) COMMENT 'Name of the dataset.',
    ItemKey String CODEC(ZSTD(1)) COMMENT 'Key of the item.',
    Hash String CODEC(ZSTD(1)) COMMENT 'Of its content; empty: it was removed.',
    Size UInt64 CODEC(ZSTD(1)) COMMENT 'Bytes of its content.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was changed, in microseconds since the epoch; the latest counts.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Dataset, ItemKey)
SETTINGS index_granularity = 8192, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Items of the draft of each dataset; read with FINAL.';

CREATE TABLE IF NOT EXISTS dataset_versions
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Dataset String CODEC(ZSTD(1)) COMMENT 'Name of the dataset.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Number of the version, from 1.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store; of one number the earliest counts.',
    Hash String CODEC(ZSTD(1)) COMMENT 'SHA-256 of keys and hashes of its items, in hex.',
    Items UInt64 CODEC(ZSTD(1)) COMMENT 'How many it has.',
    MadeBy LowCardinality(String) COMMENT 'Who made it, as they call themselves; or empty.'
)
ENGINE = MergeTree
ORDER BY (Project, Dataset, Version, StoredAt, Hash)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Versions of datasets, which never change.';

CREATE TABLE IF NOT EXISTS dataset_items
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Dataset String CODEC(ZSTD(1)) COMMENT 'Name of the dataset.',
    VersionHash String CODEC(ZSTD(1)) COMMENT 'Hash of the version; several versions may have the same.',
    ItemKey String CODEC(ZSTD(1)) COMMENT 'Key of the item.',
    Hash String CODEC(ZSTD(1)) COMMENT 'Of its content.',
    Size UInt64 CODEC(ZSTD(1)) COMMENT 'Bytes of its content.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Dataset, VersionHash, ItemKey)
SETTINGS index_granularity = 8192, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Items of the versions of datasets; read with FINAL.';
