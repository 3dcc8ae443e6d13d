SELECT SpansDocument
FROM trajectories FINAL
WHERE TraceId = {trace_id:String}
  AND cityHash64(TraceId) = cityHash64({trace_id:String})
  AND ({project:Nullable(String)} IS NULL OR Project = {project:Nullable(String)})
ORDER BY Seq DESC, Project DESC
LIMIT 1
