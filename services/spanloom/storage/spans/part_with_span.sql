-- The part of a run that has a span: the home of the run shows it, but it is stored with its own trace.
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
