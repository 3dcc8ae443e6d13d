-- In which project a trace is; of several within reach the newest, as document.sql finds it.
SELECT Project
FROM trajectories FINAL
WHERE {reach}
  AND TraceId = {trace_id:String}
  -- Names the index that finds a trace id where the project is open.
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
ORDER BY Seq DESC, Project DESC
LIMIT 1
