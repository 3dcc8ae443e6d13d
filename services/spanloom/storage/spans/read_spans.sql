-- Every version of every span of some traces, the columns in the order of core.model.span.Span.
-- Only spans whose id starts so. Without FINAL, so that the heavy columns are read for the wanted
-- rows alone.
SELECT
    TraceId, SpanId, ParentSpanId, SpanName, SpanKind, StartTimeUnixNano, EndTimeUnixNano,
    StatusCode, StatusMessage, ServiceName, ScopeName, ScopeVersion, SpanAttributes,
    arrayZip(`Events.TimeUnixNano`, `Events.Name`, `Events.Attributes`),
    arrayZip(`Links.TraceId`, `Links.SpanId`, `Links.Attributes`),
    RowVersion, Environment, Project
FROM otel_traces
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  AND startsWith(SpanId, {span_id_start:String})
