-- The number of the spans and events of a trace that requests contain but that are not stored in this version or a
-- later one. For a trace that is not read completely; reads narrow columns only.
SELECT count() AS uncovered
FROM
(
    SELECT is_events, id, max(least_rank) AS needed
    FROM
    (
        SELECT IsEvents AS is_events, arrayJoin(Finished) AS id, Seq AS least_rank
        FROM trace_requests
        WHERE Project = {project:String} AND TraceId = {trace_id:String}
        UNION ALL
        SELECT IsEvents, arrayJoin(Open), toUInt64(greatest(Seq, 1125899906842624) - 1125899906842624)
        FROM trace_requests
        WHERE Project = {project:String} AND TraceId = {trace_id:String}
    )
    GROUP BY is_events, id
) AS brought
LEFT JOIN
(
    -- Plus one, because 0 means that a span is not stored.
    SELECT false AS is_events, reinterpretAsUInt64(unhex(SpanId)) AS id, max(RowVersion) + 1 AS stored
    FROM otel_traces
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
    GROUP BY SpanId
    UNION ALL
    SELECT true, bitXor(reinterpretAsUInt64(unhex(SpanId)), reinterpretAsUInt64(unhex(EventId))), max(RowVersion) + 1
    FROM genai_events
    WHERE Project = {project:String} AND TraceId = {trace_id:String}
    GROUP BY SpanId, EventId
) AS kept USING (is_events, id)
WHERE kept.stored <= brought.needed
