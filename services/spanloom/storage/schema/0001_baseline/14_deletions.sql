-- Deletions: who had which traces deleted, and the traces themselves. While a deletion lasts, every
-- read leaves its traces out and the keeper removes what arrives of them.

CREATE TABLE IF NOT EXISTS deletions
(
    Id String COMMENT 'Grows with each deletion.',
    Step UInt64 COMMENT 'Grows with each row of a deletion; the highest counts.',
    EveryProject Bool COMMENT 'Whether traces of every project are in scope.',
    Projects Array(String) COMMENT 'Only traces of these projects, unless of every one.',
    TraceId Nullable(String) COMMENT 'Only this trace.',
    ConversationId Nullable(String) COMMENT 'Only traces of this conversation.',
    StartBeforeUnixNano Nullable(UInt64) COMMENT 'Only traces that started before this time.',
    RequestedAtUnixNano UInt64 COMMENT 'When it was asked for, in nanoseconds since the epoch.',
    UntilSeq UInt64 COMMENT 'Newest sequence of requests that it covers, stored yet or not.',
    RequestedBy String COMMENT 'Who asked for it.',
    Traces UInt64 COMMENT 'Traces that it took when it was asked for.',
    Spans UInt64 COMMENT 'Spans that had arrived of them, repeats included.',
    IsOver Bool COMMENT 'Whether its time is over: what arrives now is stored again.'
)
ENGINE = ReplacingMergeTree(Step)
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Every deletion ever asked for; read with FINAL. Retention does not empty it.';

CREATE TABLE IF NOT EXISTS deleted_traces
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that no reader sees any more.',
    DeletionId String COMMENT 'The deletion that took it.',
    -- For a trace id without a project, as in trajectories.
    INDEX trace_id_hash cityHash64(TraceId) TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, DeletionId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'The traces of deletions that are not over.';
