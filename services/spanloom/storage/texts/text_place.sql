-- The newest version of a trajectory, and its start.
SELECT Seq, Version, StartTimeUnixNano
FROM trajectories
WHERE Project = {project:String} AND TraceId = {trace_id:String}
ORDER BY Seq DESC, Version DESC
LIMIT 1
