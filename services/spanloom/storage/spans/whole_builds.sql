-- Of which arrivals the last whole build of some traces was recorded.
SELECT Project, TraceId, Digest
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))') AND IsWhole
