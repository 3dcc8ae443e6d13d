-- The newest documents of some traces.
SELECT Project, TraceId, StartTimeUnixNano, Document
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Seq DESC, Version DESC
LIMIT 1 BY Project, TraceId
