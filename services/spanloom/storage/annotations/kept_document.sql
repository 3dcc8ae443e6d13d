-- The stored document with a content hash, preferably of the given version.
SELECT Document
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Hash = {hash:String} AND Document != ''
ORDER BY Version = {version:UInt32} DESC, Version
LIMIT 1
