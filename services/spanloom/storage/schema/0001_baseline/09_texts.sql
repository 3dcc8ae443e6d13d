-- Full text: what the steps of runs said, each message once, with an index of its words. It is written
-- beside the extraction, by the indexer. A row counts while the run's row in trajectory_list has its hash.
--
-- One part of the table is one month: what expires is dropped as a whole, for to delete rows builds the
-- index again. Not replacing: every merge would take the texts apart once more.

CREATE TABLE IF NOT EXISTS step_texts
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TrajectoryStart UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    StepId UInt64 CODEC(ZSTD(1)) COMMENT 'Span id of the step, as a number.',
    Part Enum8('input' = 1, 'output' = 2, 'error' = 3) COMMENT 'Where the step has the text.',
    Hash UInt64 CODEC(ZSTD(1)) COMMENT 'Of all that the step brought; Steps.Text has it, or the row is of an older version.',
    Type LowCardinality(String) COMMENT 'agent, model, tool or graph.',
    Name LowCardinality(String) COMMENT 'Name of the step.',
    Text String CODEC(ZSTD(1)) COMMENT 'What is said, JSON as lines of keys and values.',
    UpdatedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.',
    INDEX words Text TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking', preprocessor = replaceRegexpAll(lowerUTF8(Text), '([\\x{2010}-\\x{2027}\\x{3000}-\\x{30ff}\\x{3400}-\\x{9fff}\\x{ac00}-\\x{d7af}\\x{f900}-\\x{faff}\\x{ff00}-\\x{ffef}])', ' \\1 '))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(UpdatedAt)
ORDER BY (Project, TrajectoryStart, TraceId, StepId, Part)
SETTINGS index_granularity = 128, ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What steps said, for search; rows of older versions stay until they expire.';

CREATE TABLE IF NOT EXISTS text_watermark
(
    Id UInt8 COMMENT 'Always 0: there is one watermark.',
    Second Int64 COMMENT 'Texts of what was stored before this second, by the clock of the store, are indexed.',
    UpdatedAt DateTime64(3) DEFAULT now64(3) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(UpdatedAt)
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'From where a new indexer looks for trajectories; read with FINAL.';
