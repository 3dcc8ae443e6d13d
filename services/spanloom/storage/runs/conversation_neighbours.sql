-- Present and former positions of runs of some conversations: all between two instants, and the
-- nearest ones around. list_page.sql reads their current state.
SELECT DISTINCT Project, TraceId
FROM
(
    SELECT Project, TraceId, Side,
           row_number() OVER (PARTITION BY Project, ConversationId, Side ORDER BY Distance) AS Place
    FROM
    (
        SELECT Project, ConversationId, TraceId, StartTimeUnixNano AS Start,
               multiIf(Start < asked.3, -1, Start > asked.4, 1, 0) AS Side,
               multiIf(Start < asked.3, asked.3 - Start, Start > asked.4, Start - asked.4, 0) AS Distance
        FROM conversation_members
        INNER JOIN
        (
            SELECT arrayJoin(JSONExtract({spans:String}, 'Array(Tuple(String, String, UInt64, UInt64))')) AS asked
        ) AS wanted
            ON Project = asked.1 AND ConversationId = asked.2
        WHERE (Project, ConversationId) IN JSONExtract({conversations:String}, 'Array(Tuple(String, String))')
    )
)
WHERE Side = 0 OR Place <= {most:UInt64}
