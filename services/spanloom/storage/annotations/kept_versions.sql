-- The stored versions of a trajectory, with the times at which they were stored, newest first.
SELECT Version, max(AtUnixMicro) AS KeptAt
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String}
GROUP BY Version
ORDER BY Version DESC
LIMIT 1000
