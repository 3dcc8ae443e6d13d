-- Which processes run, and how far each slice of the traces is. A process writes a heartbeat every few
-- seconds; which slices it works on follows from those that live. All times are of the clock of the
-- store.

CREATE TABLE IF NOT EXISTS workers
(
    Id String CODEC(ZSTD(1)) COMMENT 'Of a process, random at each start.',
    Kind LowCardinality(String) COMMENT 'What it does: collect, extract, index, api or keeper.',
    Release LowCardinality(String) COMMENT 'Version of Spanloom.',
    Started DateTime64(3) CODEC(Delta, ZSTD(1)) COMMENT 'When its first heartbeat was written.',
    IsOver Bool COMMENT 'Whether it has ended, as its last row says.',
    SeenAt DateTime64(3) DEFAULT now64(3) CODEC(Delta, ZSTD(1)) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(SeenAt)
ORDER BY (Kind, Id)
TTL toDateTime(SeenAt) + INTERVAL 7 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Heartbeats of the processes of a ClickHouse server; a store with one process has none.';

CREATE TABLE IF NOT EXISTS slice_watermarks
(
    Kind LowCardinality(String) COMMENT 'Of which work: extract or index.',
    Slice UInt16 COMMENT 'Number of the slice: CRC32(TraceId) % 256.',
    Second Int64 COMMENT 'What was stored before this second, by the clock of the store, is done or known to be unfinished.',
    UpdatedAt DateTime64(3) DEFAULT now64(3) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(UpdatedAt)
ORDER BY (Kind, Slice)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'From where a process looks that begins with a slice; read with FINAL. extraction_watermark and text_watermark hold for all slices.';

CREATE TABLE IF NOT EXISTS replay_parts
(
    Id String CODEC(ZSTD(1)) COMMENT 'Of a row of replays.',
    Part UInt16 COMMENT 'Which of its traces: CRC32(TraceId) % 16.',
    Step UInt64 CODEC(ZSTD(1)) COMMENT 'Number of recorded pieces; the row with the most counts.',
    Done UInt64 CODEC(ZSTD(1)) COMMENT 'Traces that this part is through with.',
    Written UInt64 CODEC(ZSTD(1)) COMMENT 'How many of them got a new version.',
    Failed UInt64 CODEC(ZSTD(1)) COMMENT 'How many of them could not be built.',
    AfterProject String CODEC(ZSTD(1)) COMMENT 'Project of the last of them.',
    AfterTraceId String CODEC(ZSTD(1)) COMMENT 'Trace id of the last of them.',
    IsFinished Bool COMMENT 'Whether no trace of the part is left.',
    UpdatedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this was written.'
)
ENGINE = ReplacingMergeTree(Step)
ORDER BY (Id, Part)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How far replays are on a ClickHouse server, where several processes share one; read with FINAL.';
