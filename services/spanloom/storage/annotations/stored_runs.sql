-- Which of the given traces have a stored trajectory.
SELECT DISTINCT Project, TraceId
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
