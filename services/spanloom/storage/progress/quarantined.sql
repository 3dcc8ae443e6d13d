-- Traces whose newest attempt failed; columns as in read_progress. The inner query finds, by the index, traces of which
-- any attempt failed.
SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Error, Requests, Digest, IsWhole
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM extraction_progress WHERE Attempts > 0)
  AND Attempts > 0
ORDER BY Attempts DESC, Project, TraceId
LIMIT {limit:UInt32}
