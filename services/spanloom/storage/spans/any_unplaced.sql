-- Whether any evaluation result waits under the id of a response: most stores have none.
SELECT 1
FROM genai_events
WHERE TraceId >= {first:String} AND TraceId < {last:String}
LIMIT 1
