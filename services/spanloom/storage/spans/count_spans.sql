-- The number of span versions of some traces.
SELECT count()
FROM otel_traces
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
