-- The rows of a trajectory that were stored under some write ids.
SELECT DISTINCT {columns}
FROM annotations
WHERE Project = {project:String} AND TraceId = {trace_id:String}
  AND WriteId IN JSONExtract({write_ids:String}, 'Array(String)')
ORDER BY Scheme, Annotator, StepId, Revision
