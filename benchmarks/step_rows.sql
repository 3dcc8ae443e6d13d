-- Steps as rows, a table that Spanloom does not have: what arrays in `trajectory_list` are measured against.
CREATE TABLE IF NOT EXISTS steps
(
    Project LowCardinality(String),
    TraceId String CODEC(ZSTD(1)),
    StepId String CODEC(ZSTD(1)),
    Seq UInt64 CODEC(ZSTD(1)),
    IsDeleted UInt8 CODEC(ZSTD(1)),
    Version UInt32 CODEC(ZSTD(1)),
    AgentId String CODEC(ZSTD(1)),
    ParentId String CODEC(ZSTD(1)),
    Type LowCardinality(String),
    Name LowCardinality(String),
    StartTime DateTime64(9) DEFAULT fromUnixTimestamp64Nano(toInt64(least(StartTimeUnixNano, 9223372036854775807))) CODEC(ZSTD(1)),
    StartTimeUnixNano UInt64 CODEC(ZSTD(1)),
    EndTimeUnixNano UInt64 CODEC(ZSTD(1)),
    DurationNs UInt64 CODEC(ZSTD(1)),
    Model LowCardinality(String),
    InputTokens Int64 CODEC(ZSTD(1)),
    OutputTokens Int64 CODEC(ZSTD(1)),
    ReasoningTokens Int64 CODEC(ZSTD(1)),
    CacheReadTokens Int64 CODEC(ZSTD(1)),
    CacheCreationTokens Int64 CODEC(ZSTD(1)),
    FirstTokenMs Nullable(Float64) CODEC(ZSTD(1)),
    HasError Bool CODEC(ZSTD(1)),
    ErrorCode Int64 CODEC(ZSTD(1)),
    ErrorMessage String CODEC(ZSTD(1)),
    Input String CODEC(ZSTD(1)),
    Output String CODEC(ZSTD(1)),
    CallKey String CODEC(ZSTD(1)),
    IsBare Bool CODEC(ZSTD(1)),
    UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(Seq, IsDeleted)
ORDER BY (Project, TraceId, StepId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'One typed row per step; read v_steps, or this with FINAL.'
