-- Every version of the content events of some traces, in the order of storage.spans.event_of.
SELECT Project, TraceId, SpanId, EventId, Place, TimeUnixNano, EventName, Attributes, RowVersion
FROM genai_events
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
