-- The first part of a trace, up to a position from last_of_part.sql; columns as read_spans.sql, and
-- only spans whose id has the prefix. The inner query reads narrow columns, in the order of the key.
SELECT
    TraceId, SpanId, ParentSpanId, SpanName, SpanKind, StartTimeUnixNano, EndTimeUnixNano,
    StatusCode, StatusMessage, ServiceName, ScopeName, ScopeVersion, SpanAttributes,
    arrayZip(`Events.TimeUnixNano`, `Events.Name`, `Events.Attributes`),
    arrayZip(`Links.TraceId`, `Links.SpanId`, `Links.Attributes`),
    Seq, Environment, Release, Project
FROM otel_traces
WHERE Project = {project:String} AND TraceId = {trace_id:String} AND startsWith(SpanId, {span_id_start:String})
  AND (SpanId, RowVersion, StartTimeUnixNano) IN
  (
      SELECT SpanId, newest.1, newest.2
      FROM
      (
          SELECT SpanId, max((RowVersion, StartTimeUnixNano, ParentSpanId != '')) AS newest
          FROM otel_traces
          WHERE Project = {project:String} AND TraceId = {trace_id:String} AND startsWith(SpanId, {span_id_start:String})
          GROUP BY Project, TraceId, SpanId
      )
      WHERE (newest.3, newest.2, SpanId) <= ({last_has_parent:UInt8}, {last_start:UInt64}, {last_span_id:String})
  )
SETTINGS optimize_aggregation_in_order = 1
