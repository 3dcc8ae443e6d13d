-- Keys that may be on the page: any version of the row passes the filters. Without FINAL, so
-- that it stops early; list_page.sql looks at the current versions of these keys.
SELECT Project, StartTimeUnixNano, TraceId
FROM trajectory_list
WHERE ({project:Nullable(String)} IS NULL OR Project = {project:Nullable(String)})
  AND ({start_from_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano >= {start_from_ns:Nullable(UInt64)})
  AND ({start_before_ns:Nullable(UInt64)} IS NULL OR StartTimeUnixNano < {start_before_ns:Nullable(UInt64)})
  AND ({status:Nullable(String)} IS NULL OR Status = {status:Nullable(String)})
  AND ({root_name:Nullable(String)} IS NULL OR RootName = {root_name:Nullable(String)})
  AND ({has_error:Nullable(Bool)} IS NULL OR HasError = {has_error:Nullable(Bool)})
  AND ({agent_name:Nullable(String)} IS NULL OR has(AgentNames, {agent_name:Nullable(String)}))
  AND ({conversation_id:Nullable(String)} IS NULL OR ConversationId = {conversation_id:Nullable(String)})
  AND ({after_start_ns:Nullable(UInt64)} IS NULL
       OR (StartTimeUnixNano <= {after_start_ns:Nullable(UInt64)}
           AND (StartTimeUnixNano, TraceId, Project)
               < (assumeNotNull({after_start_ns:Nullable(UInt64)}), {after_trace_id:String}, {after_project:String})))
  AND NOT IsDeleted
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
LIMIT {reach:UInt64}
