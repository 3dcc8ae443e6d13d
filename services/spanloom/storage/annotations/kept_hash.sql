-- Whether a document is kept, by the hash of its content.
SELECT count()
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Hash = {hash:String} AND Document != ''
