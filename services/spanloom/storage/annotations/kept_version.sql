-- The hash of a stored version, and the time at which it was stored.
SELECT Hash, AtUnixMicro
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Version = {version:UInt32}
LIMIT 1
