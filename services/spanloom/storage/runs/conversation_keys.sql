-- The traces that are or were in some conversations; conversation_page.sql looks at what they are now.
SELECT DISTINCT Project, TraceId
FROM conversation_members
WHERE (Project, ConversationId) IN JSONExtract({conversations:String}, 'Array(Tuple(String, String))')
