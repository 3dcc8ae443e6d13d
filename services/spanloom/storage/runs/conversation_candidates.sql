-- Keys that may be in a conversation, oldest first; list_page.sql reads the current versions.
SELECT DISTINCT Project, StartTimeUnixNano, TraceId
FROM conversation_members
WHERE {reach}
  AND ConversationId = {conversation_id:String}
  AND (StartTimeUnixNano, TraceId, Project) > ({after_start_ns:UInt64}, {after_trace_id:String}, {after_project:String})
ORDER BY StartTimeUnixNano, TraceId, Project
LIMIT {most:UInt64}
