-- Changes in a time range of traces with newer or more spans than their progress records, or with
-- unfinished progress (live, or failed at the last attempt); columns as changes_since. Ordered by the
-- spans' key, so that traces read together are stored together.
WITH keys AS
(
    SELECT DISTINCT Project, TraceId
    FROM trace_changes
    WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
      AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
      AND {shared}
)
SELECT Project, TraceId, newest, first_accepted, last_accepted, has_root, spans, second
FROM
(
    SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans,
           intDiv(toUnixTimestamp64Milli(min(InsertedAt)), 1000) AS second
    FROM trace_changes
    WHERE InsertedAt >= fromUnixTimestamp64Milli(1000 * {since:Int64})
      AND InsertedAt < fromUnixTimestamp64Milli(1000 * {until:Int64})
      AND {shared}
    GROUP BY Project, TraceId
) AS changed
LEFT JOIN
(
    SELECT Project, TraceId, Seq, Status, Attempts, Arrived
    FROM extraction_progress FINAL
    WHERE (Project, TraceId) IN keys
) AS progress USING (Project, TraceId)
LEFT JOIN
(
    SELECT Project, TraceId, sum(Spans) AS arrived
    FROM trace_arrivals
    WHERE (Project, TraceId) IN keys
    GROUP BY Project, TraceId
) AS arrivals USING (Project, TraceId)
WHERE progress.Status IN ('', 'live') OR progress.Attempts > 0 OR progress.Seq < changed.newest
   OR (progress.Arrived > 0 AND progress.Arrived < arrivals.arrived)
ORDER BY Project, TraceId
