SELECT Project, TraceId, Seq, Status, Attempts
FROM trace_progress FINAL
WHERE (Project, TraceId) IN {keys:Array(Tuple(String, String))}
