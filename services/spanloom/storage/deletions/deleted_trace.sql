-- The projects within reach in which a trace is deleted.
SELECT DISTINCT Project
FROM deleted_traces
WHERE {reach}
  AND TraceId = {deleted_id:String}
  -- Uses the index that finds a trace id without a project.
  AND cityHash64(TraceId) = cityHash64({deleted_id:String})
