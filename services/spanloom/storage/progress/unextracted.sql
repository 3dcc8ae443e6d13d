-- Changes, in a time range, of traces that have to be built, because no whole build of all arrivals is recorded, their
-- progress is unfinished (live, or failed at the last attempt), or the request of a change is not visible yet. Columns
-- as in changes_since. Progress of earlier releases has no digest, and their revisits have the sequence 1. Ordered by
-- the spans' key, so that traces that are read together are stored together.
WITH keys AS
(
    SELECT DISTINCT Project, TraceId
    FROM trace_changes
    WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
      AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
      AND {shared}
)
SELECT Project, TraceId, first_accepted, last_accepted, has_root, spans, second, requests
FROM
(
    SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans,
           intDiv(toUnixTimestamp64Milli(min(InsertedAt)), 1000) AS second, groupUniqArray((Seq, Spans)) AS requests
    FROM trace_changes
    WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
      AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
      AND {shared}
    GROUP BY Project, TraceId
) AS changed
LEFT JOIN
(
    SELECT Project, TraceId, Seq, Status, Attempts, Arrived, Requests, Digest, IsWhole
    FROM extraction_progress FINAL
    WHERE (Project, TraceId) IN keys
) AS progress USING (Project, TraceId)
LEFT JOIN
(
    SELECT Project, TraceId, count() AS number, sum(Spans) AS arrived, sum(cityHash64(Seq, IsEvents, Mark)) AS digest,
           groupArray((Seq, Spans)) AS visible, countIf(Spans = 0 AND Seq > 1) AS revisits
    FROM
    (
        SELECT Project, TraceId, Seq, IsEvents, Mark, Spans
        FROM trace_requests
        WHERE (Project, TraceId) IN keys
        LIMIT 1 BY Project, TraceId, Seq, IsEvents, Mark
    )
    GROUP BY Project, TraceId
) AS arrivals USING (Project, TraceId)
WHERE progress.Status IN ('', 'live') OR progress.Attempts > 0
   OR if(progress.Requests = 0 AND NOT progress.IsWhole,
         progress.Seq < changed.newest OR (progress.Arrived > 0 AND progress.Arrived < arrivals.arrived)
         OR arrivals.revisits > 0,
         NOT progress.IsWhole OR progress.Requests != arrivals.number OR progress.Digest != arrivals.digest
         OR NOT hasAll(arrivals.visible, changed.requests))
ORDER BY Project, TraceId
