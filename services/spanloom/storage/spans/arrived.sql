-- The number of spans that arrived of some traces, including repeats, and the newest sequence.
SELECT Project, TraceId, sum(Spans) AS spans, max(Seq) AS newest
FROM trace_arrivals
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
GROUP BY Project, TraceId
