-- The traces that are or were in some conversations; conversation_page.sql reads their current state.
SELECT DISTINCT Project, TraceId
FROM conversation_members
WHERE (Project, ConversationId) IN JSONExtract({conversations:String}, 'Array(Tuple(String, String))')
