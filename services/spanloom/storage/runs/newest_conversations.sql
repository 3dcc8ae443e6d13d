-- Candidates for the page of conversations, by the position of their newest run that may match the
-- filters. Without FINAL, so that it stops early; conversation_page.sql reads their current state.
SELECT Project, StartTimeUnixNano, TraceId, ConversationId
FROM trajectory_list
WHERE {reach}
  AND {filter}
  AND ConversationId != ''
  AND ({after_start_ns:Nullable(UInt64)} IS NULL
       OR (StartTimeUnixNano <= {after_start_ns:Nullable(UInt64)}
           AND (StartTimeUnixNano, TraceId, Project)
               < (assumeNotNull({after_start_ns:Nullable(UInt64)}), {after_trace_id:String}, {after_project:String})))
  AND NOT IsDeleted
ORDER BY StartTimeUnixNano DESC, TraceId DESC, Project DESC
LIMIT 1 BY Project, ConversationId
LIMIT {most:UInt64}
