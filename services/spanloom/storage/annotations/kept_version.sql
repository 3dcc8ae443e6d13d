-- The hash of a kept version, and when it was kept.
SELECT Hash, AtUnixMicro
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Version = {version:UInt32}
LIMIT 1
