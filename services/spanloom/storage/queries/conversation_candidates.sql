-- Keys that may be in a conversation, oldest first; list_page.sql looks at the current versions.
SELECT DISTINCT Project, StartTimeUnixNano, TraceId
FROM conversation_index
WHERE ConversationId = {conversation_id:String}
  AND ({project:Nullable(String)} IS NULL OR Project = {project:Nullable(String)})
  AND (StartTimeUnixNano, TraceId, Project) > ({after_start_ns:UInt64}, {after_trace_id:String}, {after_project:String})
ORDER BY StartTimeUnixNano, TraceId, Project
LIMIT {reach:UInt64}
