-- The trajectories stored since a second, oldest first.
SELECT toUnixTimestamp(UpdatedAt) AS Second, Project, TraceId, Seq, Version
FROM trajectories
WHERE UpdatedAt >= fromUnixTimestamp({since:Int64})
  AND (Second, Project, TraceId) > ({after_second:Int64}, {after_project:String}, {after_trace_id:String})
ORDER BY Second, Project, TraceId, Seq, Version
LIMIT {most:UInt64}
