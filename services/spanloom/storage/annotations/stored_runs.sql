-- Those of some traces of which a trajectory is stored.
SELECT DISTINCT Project, TraceId
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
