-- The document that says what a hash stands for; of that version, if it has one of its own.
SELECT Document
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Hash = {hash:String} AND Document != ''
ORDER BY Version = {version:UInt32} DESC, Version
LIMIT 1
