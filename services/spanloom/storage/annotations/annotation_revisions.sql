-- Every row of one annotator on a trajectory, ordered by step, oldest first.
SELECT DISTINCT {columns}
FROM annotations
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Scheme = {scheme:String} AND Annotator = {annotator:String}
ORDER BY StepId, Revision, AtUnixMicro, WriteId
