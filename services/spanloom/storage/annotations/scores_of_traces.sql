-- The newest revision of every score of some traces, retracted or not.
SELECT {columns}
FROM scores
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Project, TraceId, ScoreId, Revision DESC
LIMIT 1 BY Project, TraceId, ScoreId
