-- Queues of trajectories to annotate. Who gets which item is worked out from these rows, without locks:
-- items in their order, annotators, and what happened. Rows are only added.

CREATE TABLE IF NOT EXISTS annotation_queues
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String COMMENT 'Name of the queue.',
    AtUnixMicro UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'When this was put; of one name the newest counts.',
    Definition String CODEC(ZSTD(1)) COMMENT 'JSON: scheme, annotators, how many each item gets, blind, order, instructions.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Name)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Queues as last put; read with FINAL.';

CREATE TABLE IF NOT EXISTS annotation_queue_items
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Queue String COMMENT 'Name of the queue.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Place UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Its place in the queue: what comes later stands behind.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory when it was put in.',
    Failures UInt32 CODEC(ZSTD(1)) COMMENT 'What had failed in it when it was put in.',
    IsGold Bool COMMENT 'Whether its answers are known: every annotator gets it.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Queue, TraceId, Place)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What is in each queue; of one trace the first place counts.';

CREATE TABLE IF NOT EXISTS annotation_queue_events
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Queue String COMMENT 'Name of the queue.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Annotator LowCardinality(String) COMMENT 'Whose event it is.',
    AtUnixMicro UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'When, in microseconds since the epoch.',
    Event LowCardinality(String) COMMENT 'begun, done, reopened or adjudicated.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Queue, TraceId, Annotator, AtUnixMicro, Event)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What happened with the items of queues.';
