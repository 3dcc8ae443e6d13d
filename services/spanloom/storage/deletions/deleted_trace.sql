-- In which projects within reach a trace is deleted.
SELECT DISTINCT Project
FROM deleted_traces
WHERE {reach}
  AND TraceId = {deleted_id:String}
  -- Names the index that finds a trace id where the project is open.
  AND cityHash64(TraceId) = cityHash64({deleted_id:String})
