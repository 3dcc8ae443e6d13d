-- For each request of some traces: its sequence, whether it contains events, the number of ids, and the number of
-- spans. A request that was stored twice counts once.
SELECT Project, TraceId, groupArray((Seq, IsEvents, items, Spans)) AS requests, sum(Spans) AS spans,
       sum(cityHash64(Seq, IsEvents, Mark)) AS digest
FROM
(
    SELECT Project, TraceId, Seq, IsEvents, Mark, Spans, length(Finished) + length(Open) AS items
    FROM trace_requests
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    LIMIT 1 BY Project, TraceId, Seq, IsEvents, Mark
)
GROUP BY Project, TraceId
