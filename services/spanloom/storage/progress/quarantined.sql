-- Traces whose newest attempt failed, columns as read_progress. The inner query finds those of which
-- any attempt ever failed through the index; the outer one leaves those that failed last.
SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Error
FROM extraction_progress FINAL
WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM extraction_progress WHERE Attempts > 0)
  AND Attempts > 0
ORDER BY Attempts DESC, Project, TraceId
LIMIT {limit:UInt32}
