-- Whether a document is kept, by what it says.
SELECT count()
FROM trajectory_snapshots
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Hash = {hash:String} AND Document != ''
