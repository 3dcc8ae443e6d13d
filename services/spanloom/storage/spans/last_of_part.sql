-- The position of the last span of the first part of a trace:
-- spans without a parent first, then by (start, span id).
SELECT newest.3 AS last_has_parent, newest.2 AS last_start, SpanId AS last_span_id
FROM
(
    SELECT SpanId, max((RowVersion, StartTimeUnixNano, ParentSpanId != '')) AS newest
    FROM otel_traces
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
    GROUP BY Project, TraceId, SpanId
)
ORDER BY newest.3, newest.2, SpanId
LIMIT 1 OFFSET {before:UInt64}
SETTINGS optimize_aggregation_in_order = 1
