-- How many spans have arrived of some traces, repeats included.
SELECT Project, TraceId, sum(Spans)
FROM trace_arrivals
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
GROUP BY Project, TraceId
