-- One span as sent, or the next spans after an id; columns in the order of storage.spans.otlp.StoredSpan.
SELECT
    ResourceAttributes, ResourceAttributeTypes, mapApply((k, v) -> (k, base64Encode(v)), ResourceAttributeRaw),
    ResourceDroppedAttributesCount, ResourceSchemaUrl,
    ScopeName, ScopeVersion,
    ScopeAttributes, ScopeAttributeTypes, mapApply((k, v) -> (k, base64Encode(v)), ScopeAttributeRaw),
    ScopeDroppedAttributesCount, ScopeSchemaUrl,
    TraceId, SpanId, TraceState, ParentSpanId, SpanName, SpanKind, StartTimeUnixNano, EndTimeUnixNano,
    SpanAttributes, SpanAttributeTypes, mapApply((k, v) -> (k, base64Encode(v)), SpanAttributeRaw),
    DroppedAttributesCount, DroppedEventsCount, DroppedLinksCount, StatusMessage, StatusCode, Flags,
    arrayZip(`Events.TimeUnixNano`, `Events.Name`, `Events.Attributes`, `Events.AttributeTypes`,
             arrayMap(raw -> mapApply((k, v) -> (k, base64Encode(v)), raw), `Events.AttributeRaw`),
             `Events.DroppedAttributesCount`),
    arrayZip(`Links.TraceId`, `Links.SpanId`, `Links.TraceState`, `Links.Attributes`, `Links.AttributeTypes`,
             arrayMap(raw -> mapApply((k, v) -> (k, base64Encode(v)), raw), `Links.AttributeRaw`),
             `Links.DroppedAttributesCount`, `Links.Flags`)
FROM
(
    SELECT *
    FROM otel_traces FINAL
    WHERE Project = {project:String} AND TraceId = {trace_id:String} AND SpanId > {after:String}
      AND ({span_id:String} = '' OR SpanId = {span_id:String})
    ORDER BY SpanId
    LIMIT {limit:UInt64}
)
ORDER BY StartTimeUnixNano, SpanId
