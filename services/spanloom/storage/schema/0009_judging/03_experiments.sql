-- Evaluators that projects store, in versions; and experiments: what was asked for, the runs that were chosen, and
-- how it ended. Results of experiments are scores, which are found by the name of their experiment.
CREATE TABLE IF NOT EXISTS evaluators
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the evaluator.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Number of the version, from 1.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store; of one number the earliest counts.',
    ConfigHash String CODEC(ZSTD(1)) COMMENT 'SHA-256 of kind and configuration, in hex.',
    Config String CODEC(ZSTD(3)) COMMENT 'JSON: the evaluator.',
    PutBy LowCardinality(String) COMMENT 'Who put it, as they call themselves; or empty.'
)
ENGINE = MergeTree
ORDER BY (Project, Name, Version, StoredAt, ConfigHash)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Versions of evaluators, which never change.';

CREATE TABLE IF NOT EXISTS experiments
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the experiment.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was started, by the clock of the store; of one name the earliest counts.',
    Id String CODEC(ZSTD(1)) COMMENT 'By it its runs and its end are found.',
    Request String CODEC(ZSTD(3)) COMMENT 'JSON: what was asked for.',
    Dataset String CODEC(ZSTD(1)) COMMENT 'Name of the dataset; empty: it judges stored runs.',
    DatasetVersion UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the dataset.',
    DatasetHash String CODEC(ZSTD(1)) COMMENT 'Hash of that version.',
    Evaluators String CODEC(ZSTD(3)) COMMENT 'JSON: its evaluators as they were when it was started.',
    Target String CODEC(ZSTD(1)) COMMENT 'JSON: what answers the items; empty: their stored runs.',
    Repeats UInt32 CODEC(ZSTD(1)) COMMENT 'Tries of each item.',
    Total UInt64 CODEC(ZSTD(1)) COMMENT 'Runs to judge, repeats among them.',
    StartedBy LowCardinality(String) COMMENT 'Who started it, as they call themselves; or empty.'
)
ENGINE = MergeTree
ORDER BY (Project, Name, StoredAt, Id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Experiments as they were started.';

CREATE TABLE IF NOT EXISTS experiment_runs
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    ExperimentId String CODEC(ZSTD(1)) COMMENT 'Of the experiment.',
    Place UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Place of the run, from 0.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Of the run.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, ExperimentId, Place)
SETTINGS index_granularity = 8192, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Runs that an experiment judges, as they were chosen when it was started; read with FINAL.';

CREATE TABLE IF NOT EXISTS experiment_ends
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    ExperimentId String CODEC(ZSTD(1)) COMMENT 'Of the experiment.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it ended, by the clock of the store; the earliest counts.',
    Status LowCardinality(String) COMMENT 'done, failed or cancelled.',
    Reason String CODEC(ZSTD(1)) COMMENT 'Why it failed; or empty.'
)
ENGINE = MergeTree
ORDER BY (Project, ExperimentId, StoredAt)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How experiments ended.';

-- Scores lie by their traces: those of an experiment are found without reading the others.
ALTER TABLE scores
    ADD INDEX IF NOT EXISTS of_experiment Experiment TYPE bloom_filter(0.01) GRANULARITY 1;
