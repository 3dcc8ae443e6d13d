-- The lengths of the documents of some trajectories, for every stored version, oldest first; reads no document.
SELECT Project, TraceId, length(Document) AS Bytes
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Seq, Version
