-- The number of spans and content events of a trace, the sum of their ranks (core/coverage.py), and the newest sequence
-- of a current span or event. Aggregated in the order of the key, so that memory does not grow with the trace.
WITH
(
    SELECT (count(), max(RowVersion), sum(toUInt128(RowVersion) + 1))
    FROM genai_events FINAL
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
) AS events
SELECT count() AS span_count, events.1 AS event_count, greatest(max(newest), events.2) AS newest_seq,
       toString(sum(rank) + events.3) AS ranks
FROM
(
    SELECT argMax(Seq, RowVersion) AS newest,
           max(toUInt128(Seq) + 1 + if(EndTimeUnixNano > 0 AND EndTimeUnixNano >= StartTimeUnixNano, 1125899906842624, 0)) AS rank
    FROM otel_traces
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
    GROUP BY Project, TraceId, SpanId
)
SETTINGS optimize_aggregation_in_order = 1
