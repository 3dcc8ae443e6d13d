-- Which of the given traces are deleted.
SELECT DISTINCT Project, TraceId
FROM deleted_traces
WHERE (Project, TraceId) IN JSONExtract({traces:String}, 'Array(Tuple(String, String))')
