-- The list of runs carries every figure of a run and its steps, each property an array: what used to
-- join rows of `steps` reads one row now.

ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS StartTime DateTime64(9) DEFAULT fromUnixTimestamp64Nano(toInt64(least(StartTimeUnixNano, 9223372036854775807))) CODEC(Delta, ZSTD(1)) COMMENT 'Start of the root, clamped to 2262-04-11.' AFTER StartTimeUnixNano,
    ADD COLUMN IF NOT EXISTS RootId UInt64 CODEC(ZSTD(1)) COMMENT 'Span id of the root, as a number.' AFTER RootName,
    ADD COLUMN IF NOT EXISTS ModelErrors UInt32 CODEC(ZSTD(1)) COMMENT 'Model steps that failed.' AFTER OtherSpans,
    ADD COLUMN IF NOT EXISTS ToolErrors UInt32 CODEC(ZSTD(1)) COMMENT 'Tool steps that failed.' AFTER ModelErrors,
    ADD COLUMN IF NOT EXISTS ReasoningTokens Int64 CODEC(ZSTD(1)) COMMENT 'Reasoning tokens among the output tokens.' AFTER OutputTokens,
    ADD COLUMN IF NOT EXISTS CacheReadTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens read from a cache.' AFTER ReasoningTokens,
    ADD COLUMN IF NOT EXISTS CacheCreationTokens Int64 CODEC(ZSTD(1)) COMMENT 'Input tokens written to a cache.' AFTER CacheReadTokens,
    ADD COLUMN IF NOT EXISTS ModelDurationNs Int64 CODEC(ZSTD(1)) COMMENT 'Sum of the durations of all model steps in nanoseconds.' AFTER CacheCreationTokens,
    ADD COLUMN IF NOT EXISTS ToolDurationNs Int64 CODEC(ZSTD(1)) COMMENT 'Sum of the durations of all tool steps in nanoseconds.' AFTER ModelDurationNs,
    ADD COLUMN IF NOT EXISTS Cost Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'What its model calls cost in US dollars; NULL where a price is unknown.' AFTER ToolDurationNs,
    ADD COLUMN IF NOT EXISTS LongestRepeat UInt32 CODEC(ZSTD(1)) COMMENT 'How many runs of tools in a row were one tool with the same arguments, at most.' AFTER Cost,
    ADD COLUMN IF NOT EXISTS MostRepeats UInt32 CODEC(ZSTD(1)) COMMENT 'How many runs of tools in all were one tool with the same arguments, at most.' AFTER LongestRepeat,
    ADD COLUMN IF NOT EXISTS DuplicateOfSpanId String CODEC(ZSTD(1)) COMMENT 'Model or tool step in that trace, or empty.' AFTER DuplicateOf,
    ADD COLUMN IF NOT EXISTS Warnings Array(String) CODEC(ZSTD(1)) COMMENT 'What was odd about the trace.' AFTER Dialects,
    ADD COLUMN IF NOT EXISTS ExtractorVersion LowCardinality(String) COMMENT 'Extractor that built it.' AFTER Models,
    ADD COLUMN IF NOT EXISTS Attributes Array(String) CODEC(ZSTD(1)) COMMENT 'What senders add, `key=value`, sorted: of the root and of any step.' AFTER ExtractorVersion,
    ADD COLUMN IF NOT EXISTS `Steps.Id` Array(UInt64) CODEC(ZSTD(1)) COMMENT 'Span ids of the steps, as numbers, by start; of equal starts the longest first.',
    ADD COLUMN IF NOT EXISTS `Steps.Type` Array(Enum8('agent' = 1, 'model' = 2, 'tool' = 3, 'graph' = 4)) CODEC(ZSTD(1)) COMMENT 'What they are.',
    ADD COLUMN IF NOT EXISTS `Steps.Name` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Their names.',
    ADD COLUMN IF NOT EXISTS `Steps.Dialect` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Dialects that classified them.',
    ADD COLUMN IF NOT EXISTS `Steps.Parent` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'Place of the nearest step above, from 1; 0 below a root that is no step.',
    ADD COLUMN IF NOT EXISTS `Steps.Agent` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'Place of the agent that owns it, from 1; 0 where that is a root that is no step, and of the root.',
    ADD COLUMN IF NOT EXISTS `Steps.Enter` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'When a walk from the top down meets it, from 1.',
    ADD COLUMN IF NOT EXISTS `Steps.Exit` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'When that walk meets the last step below it: what is under it entered in between.',
    ADD COLUMN IF NOT EXISTS `Steps.StartNs` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Start in nanoseconds since the start of the root; below 0 where a clock disagrees.',
    ADD COLUMN IF NOT EXISTS `Steps.DurationNs` Array(UInt64) CODEC(ZSTD(1)) COMMENT 'Duration in nanoseconds.',
    ADD COLUMN IF NOT EXISTS `Steps.Model` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Model that answered, of model steps.',
    ADD COLUMN IF NOT EXISTS `Steps.InputTokens` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Input tokens of model steps, cached ones included.',
    ADD COLUMN IF NOT EXISTS `Steps.OutputTokens` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Output tokens of model steps, reasoning included.',
    ADD COLUMN IF NOT EXISTS `Steps.ReasoningTokens` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Reasoning tokens among the output tokens.',
    ADD COLUMN IF NOT EXISTS `Steps.CacheReadTokens` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Input tokens read from a cache.',
    ADD COLUMN IF NOT EXISTS `Steps.CacheCreationTokens` Array(Int64) CODEC(ZSTD(1)) COMMENT 'Input tokens written to a cache.',
    ADD COLUMN IF NOT EXISTS `Steps.Cost` Array(Nullable(Float64)) CODEC(ZSTD(1)) COMMENT 'What model steps cost in US dollars; NULL where nobody knows.',
    ADD COLUMN IF NOT EXISTS `Steps.FirstTokenMs` Array(Nullable(Float64)) CODEC(ZSTD(1)) COMMENT 'Time to the first token in milliseconds, where known.',
    ADD COLUMN IF NOT EXISTS `Steps.HasError` Array(Bool) CODEC(ZSTD(1)) COMMENT 'Whether they failed.',
    ADD COLUMN IF NOT EXISTS `Steps.ErrorCode` Array(Int64) CODEC(ZSTD(1)) COMMENT 'HTTP or provider code of the failure, -1 if it has none, 0 without failure.',
    ADD COLUMN IF NOT EXISTS `Steps.ErrorType` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Name of the exception, or another word for what went wrong; empty where nothing tells.',
    ADD COLUMN IF NOT EXISTS `Steps.ErrorMessage` Array(String) CODEC(ZSTD(1)) COMMENT 'First 1,000 characters of what the failure says.',
    ADD COLUMN IF NOT EXISTS `Steps.Args` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'CRC-32 of a tool and its arguments, to find the same call again; 0 of other steps.',
    ADD COLUMN IF NOT EXISTS `Steps.Attributes` Array(Array(String)) CODEC(ZSTD(1)) COMMENT 'What senders add to each, `key=value`, sorted.',
    ADD INDEX IF NOT EXISTS start StartTime TYPE minmax GRANULARITY 1;

-- Where reports of calls are looked for: all that is asked of one, so that no step is read. A row counts
-- while its trajectory is of that version.
ALTER TABLE call_index
    ADD COLUMN IF NOT EXISTS Seq UInt64 CODEC(ZSTD(1)) COMMENT 'Highest span version the trajectory was built from; 0 in rows that the keeper has yet to fill.',
    ADD COLUMN IF NOT EXISTS Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    ADD COLUMN IF NOT EXISTS IsBare Bool CODEC(ZSTD(1)) COMMENT 'Whether it is a model call, and all there is in its trace.',
    ADD COLUMN IF NOT EXISTS Dialect LowCardinality(String) COMMENT 'Dialect that classified the call.',
    ADD COLUMN IF NOT EXISTS ModelSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Model steps of the trace.',
    ADD COLUMN IF NOT EXISTS ToolSteps UInt32 CODEC(ZSTD(1)) COMMENT 'Tool steps of the trace.',
    ADD COLUMN IF NOT EXISTS Richness UInt32 CODEC(ZSTD(1)) COMMENT 'How many things are told of these steps, all together.',
    MODIFY COLUMN UpdatedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.';

DROP VIEW IF EXISTS call_index_writer;

DROP TABLE IF EXISTS steps;

-- For dashboards. Both read the list, so that a filter on StartTime, of a run, reads what it asks for.
CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, IsDeleted, RootId, `Steps.Id`, `Steps.Type`, `Steps.Name`, `Steps.Dialect`,
    `Steps.Parent`, `Steps.Agent`, `Steps.Enter`, `Steps.Exit`, `Steps.StartNs`, `Steps.DurationNs`, `Steps.Model`,
    `Steps.InputTokens`, `Steps.OutputTokens`, `Steps.ReasoningTokens`, `Steps.CacheReadTokens`,
    `Steps.CacheCreationTokens`, `Steps.Cost`, `Steps.FirstTokenMs`, `Steps.HasError`, `Steps.ErrorCode`,
    `Steps.ErrorType`, `Steps.ErrorMessage`, `Steps.Args`, `Steps.Attributes`)
FROM trajectory_list FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';

CREATE VIEW IF NOT EXISTS v_documents AS
SELECT Project, TraceId, Version, Status, StartTime, Document FROM trajectories FINAL
COMMENT 'The canonical document of every trajectory.';

CREATE OR REPLACE VIEW v_steps AS
SELECT
    Project,
    TraceId,
    leftPad(lower(hex(StepNumber)), 16, '0') AS StepId,
    Version,
    Position,
    if(AgentPlace = 0, if(StepNumber = RootId, '', leftPad(lower(hex(RootId)), 16, '0')), leftPad(lower(hex(`Steps.Id`[AgentPlace])), 16, '0')) AS AgentId,
    if(AgentPlace = 0, '', toString(`Steps.Name`[AgentPlace])) AS AgentName,
    if(ParentPlace = 0, if(StepNumber = RootId, '', leftPad(lower(hex(RootId)), 16, '0')), leftPad(lower(hex(`Steps.Id`[ParentPlace])), 16, '0')) AS ParentId,
    toString(StepType) AS Type,
    StepName AS Name,
    StepDialect AS Dialect,
    StartTime,
    StartTime + toIntervalNanosecond(OffsetNs) AS StepStartTime,
    toUInt64(run.StartTimeUnixNano + OffsetNs) AS StartTimeUnixNano,
    toUInt64(run.StartTimeUnixNano + OffsetNs + StepDurationNs) AS EndTimeUnixNano,
    StepDurationNs AS DurationNs,
    StepDurationNs / 1e9 AS DurationSeconds,
    StepModel AS Model,
    StepInputTokens AS InputTokens,
    StepOutputTokens AS OutputTokens,
    StepReasoningTokens AS ReasoningTokens,
    StepCacheReadTokens AS CacheReadTokens,
    StepCacheCreationTokens AS CacheCreationTokens,
    StepCost AS Cost,
    StepFirstTokenMs AS FirstTokenMs,
    StepHasError AS HasError,
    StepErrorCode AS ErrorCode,
    StepErrorType AS ErrorType,
    StepErrorMessage AS ErrorMessage,
    StepAttributes AS Attributes,
    DuplicateOf,
    UpdatedAt
FROM trajectory_list AS run FINAL
ARRAY JOIN
    arrayEnumerate(`Steps.Id`) AS Position,
    `Steps.Id` AS StepNumber, `Steps.Type` AS StepType, `Steps.Name` AS StepName, `Steps.Dialect` AS StepDialect,
    `Steps.Parent` AS ParentPlace, `Steps.Agent` AS AgentPlace, `Steps.StartNs` AS OffsetNs,
    `Steps.DurationNs` AS StepDurationNs, `Steps.Model` AS StepModel, `Steps.InputTokens` AS StepInputTokens,
    `Steps.OutputTokens` AS StepOutputTokens, `Steps.ReasoningTokens` AS StepReasoningTokens,
    `Steps.CacheReadTokens` AS StepCacheReadTokens, `Steps.CacheCreationTokens` AS StepCacheCreationTokens,
    `Steps.Cost` AS StepCost, `Steps.FirstTokenMs` AS StepFirstTokenMs, `Steps.HasError` AS StepHasError,
    `Steps.ErrorCode` AS StepErrorCode, `Steps.ErrorType` AS StepErrorType, `Steps.ErrorMessage` AS StepErrorMessage,
    `Steps.Attributes` AS StepAttributes
COMMENT 'Every step of the current trajectories once; StartTime is that of its run.';
