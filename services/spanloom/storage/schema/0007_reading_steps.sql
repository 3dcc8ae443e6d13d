-- Steps of long runs are read in little memory, and numbers over many steps in little CPU time. The
-- name of the agent that owns a step is stored with it; for stored rows it is computed as they are read.
ALTER TABLE trajectory_list
    ADD COLUMN IF NOT EXISTS `Steps.Owner` Array(LowCardinality(String)) MATERIALIZED arrayMap(place -> `Steps.Name`[place], `Steps.Agent`) CODEC(ZSTD(1)) COMMENT 'Names of the agents that own them; empty where that is a root that is no step, and of the root.' AFTER `Steps.Agent`;

-- What a step has of another one, by its place, is looked up before the arrays are unfolded: a row of a
-- step no longer has all steps of its run, which a filter would have copied for each of them.
CREATE OR REPLACE VIEW v_steps AS
SELECT
    Project,
    TraceId,
    leftPad(lower(hex(StepNumber)), 16, '0') AS StepId,
    Version,
    Position,
    if(AgentPlace = 0, if(StepNumber = RootId, '', leftPad(lower(hex(RootId)), 16, '0')), leftPad(lower(hex(AgentNumber)), 16, '0')) AS AgentId,
    CAST(NameOfAgent, 'String') AS AgentName,
    if(ParentPlace = 0, if(StepNumber = RootId, '', leftPad(lower(hex(RootId)), 16, '0')), leftPad(lower(hex(ParentNumber)), 16, '0')) AS ParentId,
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
    `Steps.Parent` AS ParentPlace, `Steps.Agent` AS AgentPlace,
    arrayMap(place -> `Steps.Id`[place], `Steps.Parent`) AS ParentNumber,
    arrayMap(place -> `Steps.Id`[place], `Steps.Agent`) AS AgentNumber,
    `Steps.Owner` AS NameOfAgent, `Steps.StartNs` AS OffsetNs,
    `Steps.DurationNs` AS StepDurationNs, `Steps.Model` AS StepModel, `Steps.InputTokens` AS StepInputTokens,
    `Steps.OutputTokens` AS StepOutputTokens, `Steps.ReasoningTokens` AS StepReasoningTokens,
    `Steps.CacheReadTokens` AS StepCacheReadTokens, `Steps.CacheCreationTokens` AS StepCacheCreationTokens,
    `Steps.Cost` AS StepCost, `Steps.FirstTokenMs` AS StepFirstTokenMs, `Steps.HasError` AS StepHasError,
    `Steps.ErrorCode` AS StepErrorCode, `Steps.ErrorType` AS StepErrorType, `Steps.ErrorMessage` AS StepErrorMessage,
    `Steps.Attributes` AS StepAttributes
COMMENT 'Every step of the current trajectories once; StartTime is that of its run.';

-- Numbers over a million steps took most of their CPU time to unpack what they are made of. These
-- codecs take about as much on the disk, and a third of the time. Parts that are stored get them as
-- they are merged.
ALTER TABLE trajectory_list
    MODIFY COLUMN `Steps.Parent` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.Agent` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.StartNs` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.DurationNs` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.InputTokens` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.OutputTokens` CODEC(T64, LZ4),
    MODIFY COLUMN `Steps.Cost` CODEC(LZ4HC(9)),
    MODIFY COLUMN `Steps.FirstTokenMs` CODEC(LZ4HC(9));
