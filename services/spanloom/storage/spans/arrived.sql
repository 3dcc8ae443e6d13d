-- The number of spans that arrived of some traces, including repeats.
SELECT Project, TraceId, sum(Spans)
FROM trace_arrivals
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
GROUP BY Project, TraceId
