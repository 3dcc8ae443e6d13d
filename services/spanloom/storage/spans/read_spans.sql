-- Every version of every span of some traces, columns in the order of core.model.span.Span.
-- Only spans whose id has the prefix. Without FINAL, and with the keys as PREWHERE, so that the other
-- columns are read only for the matching rows: by default the engine checks span ids first, which
-- costs a quarter more for a few traces.
SELECT
    TraceId, SpanId, ParentSpanId, SpanName, SpanKind, StartTimeUnixNano, EndTimeUnixNano,
    StatusCode, StatusMessage, ServiceName, ScopeName, ScopeVersion, SpanAttributes,
    arrayZip(`Events.TimeUnixNano`, `Events.Name`, `Events.Attributes`),
    arrayZip(`Links.TraceId`, `Links.SpanId`, `Links.Attributes`),
    Seq, Environment, Release, Project
FROM otel_traces
PREWHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
WHERE startsWith(SpanId, {span_id_start:String})
