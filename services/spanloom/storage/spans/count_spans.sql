-- How many versions of spans some traces have.
SELECT count()
FROM otel_traces
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
