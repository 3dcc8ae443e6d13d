-- Document and span verdicts of the current version of a trace, prefixed with the length of the
-- first; of several projects within reach the newest.
SELECT leftPad(toString(length(Document)), 12, '0'), Document, SpansDocument
FROM trajectories
WHERE {reach}
  AND TraceId = {trace_id:String}
  -- Uses the index that finds a trace id without a project.
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
ORDER BY Seq DESC, Version DESC, Project DESC
LIMIT 1
