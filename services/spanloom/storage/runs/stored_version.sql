-- Facts about the current version of a trace that need no document; of several projects within
-- reach the newest.
SELECT Version, Status, toInt64(toUnixTimestamp(UpdatedAt)) * 1000 AS StoredAtMs, ExtractorVersion, SpanCount
FROM trajectories
WHERE {reach}
  AND TraceId = {trace_id:String}
  -- Uses the index that finds a trace id without a project.
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
ORDER BY Seq DESC, Version DESC, Project DESC
LIMIT 1
