-- The earliest content events of a trace; columns as read_events.sql.
SELECT Project, TraceId, SpanId, EventId, Place, TimeUnixNano, EventName, Attributes, RowVersion
FROM genai_events FINAL
WHERE Project = {project:String} AND TraceId = {trace_id:String}
ORDER BY TimeUnixNano, SpanId, EventId
LIMIT {limit:UInt64}
