-- Steps of some versions of trajectories; one that was written twice is taken once.
SELECT
    Project, TraceId, Version, StartTimeUnixNano, DuplicateOf,
    leftPad(lower(hex(RootId)), 16, '0') AS Root,
    leftPad(lower(hex(StepId)), 16, '0') AS Id,
    StepPlace - 1 AS Position,
    if(StepAgent = 0, '', leftPad(lower(hex(`Steps.Id`[StepAgent])), 16, '0')) AS AgentId,
    toString(`Steps.Name`[StepAgent]) AS AgentName,
    if(StepParent = 0, '', leftPad(lower(hex(`Steps.Id`[StepParent])), 16, '0')) AS ParentId,
    toString(StepType) AS Type, StepName AS Name, StepDialect AS Dialect,
    StepStartNs AS OffsetNs, StepDurationNs AS DurationNs, StepModel AS Model,
    StepInputTokens AS InputTokens, StepOutputTokens AS OutputTokens, StepReasoningTokens AS ReasoningTokens,
    StepCacheReadTokens AS CacheReadTokens, StepCacheCreationTokens AS CacheCreationTokens,
    StepCost AS Cost, StepFirstTokenMs AS FirstTokenMs, StepHasError AS HasError, StepErrorCode AS ErrorCode,
    StepErrorType AS ErrorType, StepErrorMessage AS ErrorMessage, StepAttributes AS Attributes
FROM (
    SELECT *
    FROM trajectory_list
    WHERE (Project, StartTimeUnixNano, TraceId, Seq, Version)
          IN JSONExtract({versions:String}, 'Array(Tuple(String, UInt64, String, UInt64, UInt32))')
      AND HasArrays
    LIMIT 1 BY Project, TraceId
)
ARRAY JOIN {items}
WHERE StepPlace > {behind:Int64} + 1
  AND {steps}
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC, Position ASC
LIMIT {most:UInt64}
