-- Every version of every span of some traces, the columns in the order of core.model.span.Span.
-- Only spans whose id starts so. Without FINAL, and with the keys as PREWHERE, so that the other
-- columns are read for the wanted rows alone: left to itself the engine looks at span ids first,
-- which costs a few traces a quarter more.
SELECT
    TraceId, SpanId, ParentSpanId, SpanName, SpanKind, StartTimeUnixNano, EndTimeUnixNano,
    StatusCode, StatusMessage, ServiceName, ScopeName, ScopeVersion, SpanAttributes,
    arrayZip(`Events.TimeUnixNano`, `Events.Name`, `Events.Attributes`),
    arrayZip(`Links.TraceId`, `Links.SpanId`, `Links.Attributes`),
    RowVersion, Environment, Project
FROM otel_traces
PREWHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
WHERE startsWith(SpanId, {span_id_start:String})
