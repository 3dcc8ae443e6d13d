-- Every stored version of some trajectories, oldest first. Without FINAL, which would read the
-- step ids of their neighbours too.
SELECT Project, TraceId, Version, Seq, NewestSeq, ReadMark, Status, ExtractorVersion, Fingerprint,
       StartTimeUnixNano, Before, StepIds, SpanCount
FROM trajectories
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
ORDER BY Seq, Version
