-- The trace of a joined run that contains a span: the home trace shows the span, but it is stored with its own trace.
SELECT TraceId
FROM otel_traces
WHERE Project = {project:String} AND SpanId = {span_id:String}
  AND TraceId IN
  (
      SELECT TraceId
      FROM call_index
      WHERE Project = {project:String} AND StepId = {trace_id:String} AND startsWith(CallKey, 'part of ')
  )
ORDER BY TraceId
LIMIT 1
