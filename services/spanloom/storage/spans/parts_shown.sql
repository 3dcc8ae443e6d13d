-- The other traces of the run that a trace shows (core/joining), as they are stored now.
SELECT DISTINCT TraceId
FROM call_index
WHERE Project = {project:String} AND StepId = {trace_id:String} AND TraceId != {trace_id:String}
  AND startsWith(CallKey, 'part of ')
  AND (TraceId, Version) IN
  (
      SELECT TraceId, Version
      FROM trajectories FINAL
      WHERE Project = {project:String} AND TraceId IN
      (
          SELECT TraceId
          FROM call_index
          WHERE Project = {project:String} AND StepId = {trace_id:String} AND startsWith(CallKey, 'part of ')
      )
  )
ORDER BY TraceId
