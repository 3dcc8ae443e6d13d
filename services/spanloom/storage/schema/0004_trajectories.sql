-- What people read: trajectories, the time-leading table behind lists, and their steps.

CREATE TABLE IF NOT EXISTS trajectories
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id, 32 lowercase hex digits.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Grows with every change of the trajectory.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version it was built from; of two rows the higher one counts.',
    Status LowCardinality(String) COMMENT 'live, settled, partial or failed.',
    Fingerprint String CODEC(ZSTD(1)) COMMENT 'Identifies the input; the same input is not written again.',
    StartTime DateTime64(9) DEFAULT fromUnixTimestamp64Nano(toInt64(least(StartTimeUnixNano, 9223372036854775807))) CODEC(ZSTD(1)) COMMENT 'Start of the root, clamped to 2262-04-11.',
    StartTimeUnixNano UInt64 CODEC(ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    DurationNs UInt64 CODEC(ZSTD(1)) COMMENT 'Duration of the root in nanoseconds.',
    RootName LowCardinality(String) COMMENT 'Name of the root span.',
    RootType LowCardinality(String) COMMENT 'agent, model, tool, graph or other.',
    HasError Bool CODEC(ZSTD(1)) COMMENT 'Whether any step failed.',
    AgentNames Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Names of the agents, sorted.',
    Models Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Models called, sorted.',
    SpanCount UInt32 CODEC(ZSTD(1)) COMMENT 'Stored spans of the trace.',
    AgentSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Agent steps.',
    ModelSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Model steps.',
    ToolSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Tool steps.',
    GraphSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Graph steps.',
    OtherSpans UInt32 CODEC(ZSTD(1)) COMMENT 'Spans that are no step.',
    InputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens of all model steps, cached ones included.',
    OutputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Output tokens of all model steps, reasoning included.',
    ReasoningTokens Int64 CODEC(ZSTD(1)) COMMENT 'Reasoning tokens among the output tokens.',
    CacheReadTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens read from a cache.',
    CacheCreationTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens written to a cache.',
    ModelDurationNs Int64 CODEC(ZSTD(1)) COMMENT 'Sum of the durations of all model steps in nanoseconds.',
    ToolDurationNs Int64 CODEC(ZSTD(1)) COMMENT 'Sum of the durations of all tool steps in nanoseconds.',
    Dialects Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Dialects that classified the spans.',
    Warnings Array(String) CODEC(ZSTD(1)) COMMENT 'What was odd about the trace.',
    DuplicateOf String CODEC(ZSTD(1)) COMMENT 'Trace that this one reports again, or empty; leave such rows out of totals.',
    DuplicateOfSpanId String CODEC(ZSTD(1)) COMMENT 'Model step in that trace, or empty.',
    StepIds Array(String) CODEC(ZSTD(1)) COMMENT 'Ids of the rows in steps.',
    ExtractorVersion LowCardinality(String) COMMENT 'Extractor that built it.',
    UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When this version was stored; retention counts from here.',
    Document String CODEC(ZSTD(1)) COMMENT 'The canonical JSON document.',
    SpansDocument String CODEC(ZSTD(1)) COMMENT 'JSON list of what became of each span.',
    -- For a trace id without a project. On an expression, so that only the query that names it pays.
    INDEX trace_id_hash cityHash64(TraceId) TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(Seq)
ORDER BY (Project, TraceId)
-- Compact parts: what an extractor writes at once is one file to write and fsync instead of 80,
-- at two thirds of the CPU time; merged parts grow wide.
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 67108864, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'The current trajectory of each trace; read v_trajectories, or this with FINAL.';

CREATE TABLE IF NOT EXISTS trajectory_list
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version it was built from.',
    IsDeleted UInt8 CODEC(ZSTD(1)) COMMENT '1: the trajectory has moved to another start.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    Status LowCardinality(String) COMMENT 'live, settled, partial or failed.',
    RootName LowCardinality(String) COMMENT 'Name of the root span.',
    RootType LowCardinality(String) COMMENT 'agent, model, tool, graph or other.',
    DurationNs UInt64 CODEC(ZSTD(1)) COMMENT 'Duration of the root in nanoseconds.',
    HasError Bool CODEC(ZSTD(1)) COMMENT 'Whether any step failed.',
    AgentNames Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Names of the agents, sorted.',
    SpanCount UInt32 CODEC(ZSTD(1)) COMMENT 'Stored spans of the trace.',
    AgentSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Agent steps.',
    ModelSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Model steps.',
    ToolSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Tool steps.',
    GraphSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Graph steps.',
    OtherSpans UInt32 CODEC(ZSTD(1)) COMMENT 'Spans that are no step.',
    InputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens of all model steps.',
    OutputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Output tokens of all model steps.',
    DuplicateOf String CODEC(ZSTD(1)) COMMENT 'Trace that this one reports again, or empty.',
    Dialects Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Dialects that classified the spans.',
    UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree(Seq, IsDeleted)
ORDER BY (Project, StartTimeUnixNano, TraceId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'Summaries by start, for lists; a row counts only while trajectories has the same start.';

CREATE TABLE IF NOT EXISTS steps
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    StepId String CODEC(ZSTD(1)) COMMENT 'Span id that the step stands for.',
    Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version the trajectory was built from.',
    IsDeleted UInt8 CODEC(ZSTD(1)) COMMENT '1: no step of the trajectory any more.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    AgentId String CODEC(ZSTD(1)) COMMENT 'Agent step under which it stands; empty for the root.',
    ParentId String CODEC(ZSTD(1)) COMMENT 'Nearest step or root above it; empty for the root.',
    Type LowCardinality(String) COMMENT 'agent, model, tool or graph.',
    Name LowCardinality(String) COMMENT 'Name of the step.',
    StartTime DateTime64(9) DEFAULT fromUnixTimestamp64Nano(toInt64(least(StartTimeUnixNano, 9223372036854775807))) CODEC(ZSTD(1)) COMMENT 'Start, clamped to 2262-04-11.',
    StartTimeUnixNano UInt64 CODEC(ZSTD(1)) COMMENT 'Start in nanoseconds since the epoch.',
    EndTimeUnixNano UInt64 CODEC(ZSTD(1)) COMMENT 'End in nanoseconds since the epoch.',
    DurationNs UInt64 CODEC(ZSTD(1)) COMMENT 'Duration in nanoseconds.',
    Model LowCardinality(String) COMMENT 'Model that answered, of model steps.',
    InputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens of a model step, cached ones included.',
    OutputTokens Int64 CODEC(ZSTD(1)) COMMENT 'Output tokens of a model step, reasoning included.',
    ReasoningTokens Int64 CODEC(ZSTD(1)) COMMENT 'Reasoning tokens among the output tokens.',
    CacheReadTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens read from a cache.',
    CacheCreationTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens written to a cache.',
    FirstTokenMs Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'Time to the first token in milliseconds, where known.',
    HasError Bool CODEC(ZSTD(1)) COMMENT 'Whether the step failed.',
    ErrorCode Int64 CODEC(ZSTD(1)) COMMENT 'HTTP or provider code of the failure, -1 if it has none, 0 without failure.',
    ErrorMessage String CODEC(ZSTD(1)) COMMENT 'Message of the failure.',
    Input String CODEC(ZSTD(1)) COMMENT 'First 1,000 characters of the input.',
    Output String CODEC(ZSTD(1)) COMMENT 'First 1,000 characters of the output.',
    CallKey String CODEC(ZSTD(1)) COMMENT 'Fingerprint of a model call; a repeated report of it has the same.',
    IsBare Bool CODEC(ZSTD(1)) COMMENT 'Whether the call is all there is in its trace.',
    UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree(Seq, IsDeleted)
ORDER BY (Project, TraceId, StepId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'One typed row per step; read v_steps, or this with FINAL.';

CREATE TABLE IF NOT EXISTS call_index
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    CallKey String CODEC(ZSTD(1)) COMMENT 'Fingerprint of a model call.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace that reported it.',
    StepId String CODEC(ZSTD(1)) COMMENT 'Model step that reported it.',
    UpdatedAt DateTime CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, CallKey, TraceId, StepId)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'Where to look in steps for a call key; steps has the truth.';

CREATE MATERIALIZED VIEW IF NOT EXISTS call_index_writer TO call_index AS
SELECT Project, CallKey, TraceId, StepId, UpdatedAt
FROM steps
WHERE CallKey != '' AND NOT IsDeleted;
