-- The current verdicts on the spans of a trace; of several projects within reach the newest.
SELECT SpansDocument
FROM trajectories
WHERE {reach}
  AND TraceId = {trace_id:String}
  -- Uses the index that finds a trace id without a project.
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
ORDER BY Seq DESC, Version DESC, Project DESC
LIMIT 1
