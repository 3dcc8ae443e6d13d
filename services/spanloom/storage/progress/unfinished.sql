-- Traces whose progress is live or failed at the last attempt, with the data that can be had without reading their
-- changes; columns as in changes_since. The inner query reads one narrow column.
WITH keys AS
(
    SELECT Project, TraceId
    FROM extraction_progress FINAL
    WHERE (Project, TraceId) IN (SELECT Project, TraceId FROM extraction_progress WHERE Status = 'live' OR Attempts > 0)
      AND (Status = 'live' OR Attempts > 0)
      AND {shared}
)
SELECT Project, TraceId, toUnixTimestamp64Nano(arrivals.accepted) AS first_accepted,
       first_accepted AS last_accepted, false AS has_root, arrivals.spans AS spans, 0 AS second,
       CAST([], 'Array(Tuple(UInt64, UInt32))') AS requests
FROM keys
INNER JOIN
(
    SELECT Project, TraceId, sum(Spans) AS spans, max(AcceptedAt) AS accepted
    FROM trace_requests
    WHERE (Project, TraceId) IN keys
    GROUP BY Project, TraceId
) AS arrivals USING (Project, TraceId)
ORDER BY Project, TraceId
