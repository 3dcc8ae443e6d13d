-- Traces with spans newer than their progress, or whose progress is live; columns as changes_since.
-- In the order of the spans' key, so that traces read together lie together.
SELECT Project, TraceId, newest, first_accepted, last_accepted, has_root, spans
FROM
(
    SELECT Project, TraceId, max(Seq) AS newest, toUnixTimestamp64Nano(min(AcceptedAt)) AS first_accepted,
           toUnixTimestamp64Nano(max(AcceptedAt)) AS last_accepted, max(HasRoot) AS has_root, sum(Spans) AS spans
    FROM trace_changes
    GROUP BY Project, TraceId
) AS changed
LEFT JOIN (SELECT Project, TraceId, Seq, Status FROM trace_progress FINAL) AS progress
    USING (Project, TraceId)
WHERE progress.Status IN ('', 'live') OR progress.Seq < changed.newest
ORDER BY Project, TraceId
