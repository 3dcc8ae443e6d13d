-- Traces that have to be built, as in unextracted.sql, but found by their requests among all ids with a prefix, however
-- old their spans are. A last resort for changes that no look has found.
SELECT Project, TraceId, first_accepted, last_accepted, true AS has_root, spans, 0 AS second, requests
FROM
(
    SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, sum(Spans) AS spans,
           groupUniqArray((Seq, Spans)) AS requests, count() AS number, sum(cityHash64(Seq, IsEvents, Mark)) AS digest,
           countIf(Spans = 0 AND Seq > 1) AS revisits
    FROM
    (
        SELECT Project, TraceId, Seq, IsEvents, Mark, Spans, AcceptedAt
        FROM trace_requests
        WHERE startsWith(TraceId, {begins_with:String}) AND {shared}
        LIMIT 1 BY Project, TraceId, Seq, IsEvents, Mark
    )
    GROUP BY Project, TraceId
) AS arrivals
LEFT JOIN
(
    SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Requests, Digest, IsWhole
    FROM extraction_progress FINAL
    WHERE startsWith(TraceId, {begins_with:String})
) AS progress USING (Project, TraceId)
WHERE progress.Attempts > 0 OR progress.Status IN ('', 'live')
   OR if(progress.Requests = 0 AND NOT progress.IsWhole,
         progress.Seq < arrivals.newest OR (progress.Arrived > 0 AND progress.Arrived < arrivals.spans)
         OR arrivals.revisits > 0,
         NOT progress.IsWhole OR progress.Requests != arrivals.number OR progress.Digest != arrivals.digest)
ORDER BY Project, TraceId
