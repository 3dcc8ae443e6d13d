SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Error, Requests, Digest, IsWhole
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
