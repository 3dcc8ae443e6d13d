-- The digest of the arrivals that the last whole build of each trace had read.
SELECT Project, TraceId, Digest
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))') AND IsWhole
