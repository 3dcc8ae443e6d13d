-- The newest span version that went into each of some trajectories.
SELECT Project, TraceId, max(Seq)
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
GROUP BY Project, TraceId
