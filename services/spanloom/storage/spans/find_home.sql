-- The project of a trace; of several within reach the newest, as in document.sql.
SELECT Project
FROM trajectories FINAL
WHERE {reach}
  AND TraceId = {trace_id:String}
  -- Uses the index that finds a trace id without a project.
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
ORDER BY Seq DESC, Project DESC
LIMIT 1
