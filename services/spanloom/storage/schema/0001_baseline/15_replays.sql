-- Replays: which stored traces are to be extracted again, and how far that has come.

CREATE TABLE IF NOT EXISTS replays
(
    Id String COMMENT 'Grows with each replay.',
    Step UInt64 COMMENT 'Grows with each row of a replay; the highest counts.',
    EveryProject Bool COMMENT 'Whether traces of every project are selected.',
    Projects Array(String) COMMENT 'Else: the projects whose traces are selected.',
    StartFromUnixNano Nullable(UInt64) COMMENT 'Only traces that started at or after this time.',
    StartBeforeUnixNano Nullable(UInt64) COMMENT 'Only traces that started before this time.',
    Dialect Nullable(String) COMMENT 'Only traces with spans of this dialect.',
    OtherThan Nullable(String) COMMENT 'Only traces built by another extractor version than this.',
    Total UInt64 COMMENT 'Traces to replay when it began.',
    Done UInt64 COMMENT 'Traces replayed.',
    Written UInt64 COMMENT 'Of them: came out otherwise than before.',
    Failed UInt64 COMMENT 'Of them: could not be built.',
    AfterProject String COMMENT 'Project of the last trace replayed.',
    AfterTraceId String COMMENT 'Id of the last trace replayed.',
    IsFinished Bool COMMENT 'Whether all are replayed.',
    UpdatedAt DateTime DEFAULT now() COMMENT 'When this was written.'
)
ENGINE = ReplacingMergeTree(Step)
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Asked for by spanloom replay, worked off by the extractor; read with FINAL.';
