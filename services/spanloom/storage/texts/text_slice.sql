-- A slice of the bytes of the document of one version of a trajectory.
SELECT substring(Document, {after:UInt64} + 1, {most:UInt64})
FROM trajectories
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND Seq = {seq:UInt64} AND Version = {version:UInt32}
LIMIT 1
