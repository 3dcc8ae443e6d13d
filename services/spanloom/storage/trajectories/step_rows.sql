-- Steps of some trajectories as they are now, of those whose current version is asked for.
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
    FROM trajectory_list FINAL
    WHERE {reach}
      AND {filter}
      AND (Project, StartTimeUnixNano, TraceId) IN (
        -- A row left by a writer that was overtaken has another start than the trajectory.
        SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
        FROM trajectories
        WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
        GROUP BY Project, TraceId
      )
)
ARRAY JOIN {items}
WHERE StepPlace > {behind:Int64} + 1
  AND {steps}
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC, Position ASC
LIMIT {most:UInt64}
