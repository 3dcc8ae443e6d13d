-- Every version of the content events of some traces.
SELECT Project, TraceId, SpanId, EventId, Place, TimeUnixNano, EventName, Attributes, RowVersion
FROM genai_events
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
