-- Which of the given changes are stored.
SELECT DISTINCT Project, TraceId, Seq, Spans
FROM trace_changes
WHERE (Seq, Project, TraceId, Spans) IN JSONExtract({changes:String}, 'Array(Tuple(UInt64, String, String, UInt32))')
