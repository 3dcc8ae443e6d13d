-- Traces with spans newer or more than their progress tells, or whose progress is live; columns as
-- changes_since. In the order of the spans' key, so that traces read together lie together.
SELECT Project, TraceId, newest, first_accepted, last_accepted, has_root, spans
FROM
(
    SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans
    FROM trace_changes
    GROUP BY Project, TraceId
) AS changed
LEFT JOIN (SELECT Project, TraceId, Seq, Status, Arrived FROM trace_progress FINAL) AS progress
    USING (Project, TraceId)
LEFT JOIN (SELECT Project, TraceId, sum(Spans) AS arrived FROM trace_arrivals GROUP BY Project, TraceId) AS arrivals
    USING (Project, TraceId)
WHERE progress.Status IN ('', 'live') OR progress.Seq < changed.newest
   OR (progress.Arrived > 0 AND progress.Arrived < arrivals.arrived)
ORDER BY Project, TraceId
