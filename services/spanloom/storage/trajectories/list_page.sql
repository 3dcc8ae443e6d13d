-- The current summaries of some trajectories, wherever in the list they stand by now.
SELECT
    Project, TraceId, Version, Status, RootName, RootType, StartTimeUnixNano, DurationNs, Outcome, Failures,
    AgentNames, AgentSteps, ModelSteps, ToolSteps, GraphSteps, OtherSpans, SpanCount,
    InputTokens, OutputTokens, DuplicateOf, Dialects, ConversationId,
    Question, Answer, Services, Environment, UserId, Tags, Models, IsWaiting, IsResuming,
    Cost, {rank} AS Rank
FROM trajectory_list FINAL
WHERE {filter}
  AND (Project, StartTimeUnixNano, TraceId) IN (
    -- A row left by a writer that was overtaken has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
