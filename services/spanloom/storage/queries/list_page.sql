-- The current summaries of some trajectories, wherever in the list they stand by now, in the order
-- of storage.trajectories.lists.summary_of.
SELECT
    Project, TraceId, Version, Status, RootName, RootType, StartTimeUnixNano, DurationNs, HasError,
    AgentNames, AgentSteps, ModelSteps, ToolSteps, GraphSteps, OtherSpans, SpanCount,
    InputTokens, OutputTokens, DuplicateOf, Dialects, ConversationId
FROM trajectory_list FINAL
WHERE ({start_from_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano >= {start_from_ns:Nullable(UInt64)})
  AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
  AND ({status:Nullable(String)} IS NULL OR Status = {status:Nullable(String)})
  AND ({root_name:Nullable(String)} IS NULL OR RootName = {root_name:Nullable(String)})
  AND ({has_error:Nullable(Bool)} IS NULL OR HasError = {has_error:Nullable(Bool)})
  AND ({agent_name:Nullable(String)} IS NULL OR has(AgentNames, {agent_name:Nullable(String)}))
  AND ({conversation_id:Nullable(String)} IS NULL OR ConversationId = {conversation_id:Nullable(String)})
  AND (Project, StartTimeUnixNano, TraceId) IN (
    -- A row left by a writer that was overtaken has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
