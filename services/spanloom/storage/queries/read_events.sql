-- The content events of some traces, in the order of storage.content_events.join_events.
SELECT Project, TraceId, SpanId, TimeUnixNano, EventName, Attributes, max(RowVersion)
FROM genai_events
WHERE (Project, TraceId) IN {keys:Array(Tuple(String, String))}
GROUP BY Project, TraceId, SpanId, EventId, TimeUnixNano, EventName, Attributes
ORDER BY TimeUnixNano, EventName, EventId
