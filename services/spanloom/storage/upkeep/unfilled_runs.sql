-- Runs in the list whose steps do not stand there yet, behind a place in it.
SELECT Project, StartTimeUnixNano, TraceId, SpanCount
FROM trajectory_list FINAL
WHERE NOT HasArrays
  AND NOT IsDeleted
  AND (Project, StartTimeUnixNano, TraceId) > ({after_project:String}, {after_start_ns:UInt64}, {after_trace_id:String})
ORDER BY Project, StartTimeUnixNano, TraceId
LIMIT {most:UInt64}
