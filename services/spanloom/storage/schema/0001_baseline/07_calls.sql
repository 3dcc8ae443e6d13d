-- Where other reports of a call are looked for: all that is asked of one, so that no step is read. The
-- times too: an agent that gets the same answer every minute has no end of equal calls. A row counts
-- while its trajectory is of that version.

CREATE TABLE IF NOT EXISTS call_index
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    CallKey String CODEC(ZSTD(1)) COMMENT 'Key of a model call or tool run.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that reported it.',
    StepId String CODEC(ZSTD(1)) COMMENT 'Step that reported it.',
    UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.',
    StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the call in nanoseconds since the epoch.',
    EndTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'End of the call in nanoseconds since the epoch.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version the trajectory was built from.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    IsBare Bool CODEC(ZSTD(1)) COMMENT 'Whether it is a model call, and all there is in its trace.',
    Dialect LowCardinality(String) COMMENT 'Dialect that classified the call.',
    ModelSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Model steps of the trace.',
    ToolSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Tool steps of the trace.',
    Richness UInt32 CODEC(ZSTD(1)) COMMENT 'How many things are told of these steps, all together.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, CallKey, TraceId, StepId)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Where to look in steps for a call key; steps has the truth.';
