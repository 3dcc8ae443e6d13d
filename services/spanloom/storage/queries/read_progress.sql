SELECT Project, TraceId, Seq, Status, Attempts, Arrived
FROM trace_progress FINAL
WHERE (Project, TraceId) IN {keys:Array(Tuple(String, String))}
