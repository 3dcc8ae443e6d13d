-- Views of the page that a project has stored. Each change is a row of its own, with the next number:
-- if two make the same one, the earlier counts, and the other is refused.
CREATE TABLE IF NOT EXISTS saved_views
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Id String CODEC(ZSTD(1)) COMMENT 'Of the view, random when it is made; 16 hex digits.',
    Revision UInt32 CODEC(ZSTD(1)) COMMENT 'Number of the change, from 1; the newest counts.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was made, in microseconds since the epoch; of one revision the earliest counts.',
    Change String CODEC(ZSTD(1)) COMMENT 'Of this change, random.',
    Page LowCardinality(String) COMMENT 'runs, steps, conversations or overview.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the view.',
    Format UInt16 CODEC(ZSTD(1)) COMMENT 'Form of the parameters: releases do not read a newer one than they know.',
    Parameters String CODEC(ZSTD(1)) COMMENT 'JSON: the parameters of the address of the page, as they were typed.',
    Owner LowCardinality(String) COMMENT 'Who made the view, as they call themselves; or empty.',
    ChangedBy LowCardinality(String) COMMENT 'Who made this change; or empty.',
    IsDeleted Bool COMMENT 'Whether the view is deleted by this.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Id, Revision, AtUnixMicro, Change)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Every change of the views of the page.';

CREATE TABLE IF NOT EXISTS view_defaults
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Page LowCardinality(String) COMMENT 'runs, steps, conversations or overview.',
    ViewId String CODEC(ZSTD(1)) COMMENT 'The view that the page opens with; empty: none.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was chosen, in microseconds since the epoch; the latest counts.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Page)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'The default view of each page; read with FINAL.';
