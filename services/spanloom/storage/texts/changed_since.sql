-- The trajectories that were listed since a second, oldest first. The row of the list is written after the document,
-- and has the hashes of its texts.
SELECT toUnixTimestamp(UpdatedAt) AS Second, Project, TraceId, Seq, Version
FROM trajectory_list
WHERE NOT IsDeleted AND UpdatedAt >= fromUnixTimestamp({since:Int64})
  AND (Second, Project, TraceId) > ({after_second:Int64}, {after_project:String}, {after_trace_id:String})
  AND {shared}
ORDER BY Second, Project, TraceId, Seq, Version
LIMIT {most:UInt64}
