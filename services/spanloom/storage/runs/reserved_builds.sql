-- The builds with the highest ranks that each builder has reserved for some traces, and how long ago.
SELECT Project, TraceId, Rank, Version, Builder, Fingerprint, ReadMark, Status, ExtractorVersion,
       StartTimeUnixNano, greatest(0, dateDiff('second', ReservedAt, now())) AS AgeS
FROM trajectory_builds
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Rank DESC, Version DESC
LIMIT {most:UInt64} BY Project, TraceId, Builder
