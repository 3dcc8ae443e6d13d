-- The version of a trajectory that is stored now.
SELECT Version
FROM trajectories
WHERE Project = {project:String} AND TraceId = {trace_id:String}
ORDER BY Seq DESC, Version DESC
LIMIT 1
