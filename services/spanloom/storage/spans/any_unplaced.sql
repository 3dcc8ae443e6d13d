-- Whether any evaluation result is stored under a trace id that is derived from a response id; most stores have none.
SELECT 1
FROM genai_events
WHERE TraceId >= {first:String} AND TraceId < {last:String}
LIMIT 1
