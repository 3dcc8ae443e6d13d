-- The current summaries among the candidates, in the order of storage.trajectories.summary_of.
SELECT
    Project, TraceId, Version, Status, RootName, RootType, StartTimeUnixNano, DurationNs, HasError,
    AgentNames, AgentSteps, ModelSteps, ToolSteps, GraphSteps, OtherSpans, SpanCount,
    InputTokens, OutputTokens, DuplicateOf, Dialects, ConversationId
FROM trajectory_list FINAL
WHERE (Project, StartTimeUnixNano, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, UInt64, String))')
  AND ({status:Nullable(String)} IS NULL OR Status = {status:Nullable(String)})
  AND ({root_name:Nullable(String)} IS NULL OR RootName = {root_name:Nullable(String)})
  AND ({has_error:Nullable(Bool)} IS NULL OR HasError = {has_error:Nullable(Bool)})
  AND ({agent_name:Nullable(String)} IS NULL OR has(AgentNames, {agent_name:Nullable(String)}))
  AND ({conversation_id:Nullable(String)} IS NULL OR ConversationId = {conversation_id:Nullable(String)})
  AND (Project, TraceId, StartTimeUnixNano) IN (
    -- A row left by a writer that was overtaken has another start than the trajectory.
    SELECT Project, TraceId, argMax(StartTimeUnixNano, (Seq, Version))
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({trace_keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
