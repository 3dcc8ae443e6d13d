-- The current version of a trajectory.
SELECT Version
FROM trajectories
WHERE Project = {project:String} AND TraceId = {trace_id:String}
ORDER BY Seq DESC, Version DESC
LIMIT 1
