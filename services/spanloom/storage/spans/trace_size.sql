-- The number of spans and content events of a trace, and their newest version. In the order of the
-- key, so that the memory does not grow with the trace.
WITH
(
    SELECT (count(), max(RowVersion))
    FROM genai_events FINAL
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
) AS events
SELECT count() AS span_count, events.1 AS event_count, greatest(max(newest), events.2) AS newest_seq
FROM
(
    SELECT max(Seq) AS newest
    FROM otel_traces
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
    GROUP BY Project, TraceId, SpanId
)
SETTINGS optimize_aggregation_in_order = 1
