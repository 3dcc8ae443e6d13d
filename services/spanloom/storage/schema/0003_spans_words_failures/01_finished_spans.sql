-- A finished span is never replaced by an open copy of it, in whatever order they come. The engine
-- keeps the row with the highest RowVersion, so that of an open copy (without an end, or with one
-- before its start) is its sequence lowered by 2^50: below every sequence since 2005, which are
-- microseconds since the epoch, and in their order. The sequence itself is in a column of its own
-- (ADR 58).
ALTER TABLE otel_traces
    ADD COLUMN IF NOT EXISTS Seq UInt64 DEFAULT RowVersion CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought this version.' AFTER RowVersion,
    COMMENT COLUMN RowVersion 'Rank of this version: its sequence, lowered by 2^50 if the span is open; of two versions of a span the higher one counts.';

-- An open copy that counts for nothing is gone after a merge; what arrived is not.
ALTER TABLE trace_arrivals
    ADD COLUMN IF NOT EXISTS Seq SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)) COMMENT 'Sequence of the newest request that brought some; 0 is unknown.';

ALTER TABLE trace_arrivals_writer MODIFY QUERY
SELECT Project, TraceId, sum(Spans) AS Spans, max(AcceptedAt) AS AcceptedAt, max(Seq) AS Seq
FROM trace_changes
GROUP BY Project, TraceId;

ALTER TABLE trace_changes_writer MODIFY QUERY
SELECT Project, TraceId, Seq, max(AcceptedAt) AS AcceptedAt,
       max(ParentSpanId = '') AS HasRoot, count() AS Spans, now64(3) AS InsertedAt,
       sum(256 + byteSize(SpanName, TraceState, StatusMessage, SpanAttributes, ResourceAttributes, ScopeAttributes,
                          `Events.Name`, `Events.Attributes`, `Links.TraceState`, `Links.Attributes`)) AS Bytes
FROM otel_traces
GROUP BY Project, TraceId, Seq;

-- As in the baseline, except for RowVersion and Seq.
ALTER TABLE otlp_decoder MODIFY QUERY
WITH
    -- The text of one value. Doubles are shortest round-trip; -0 and the JSON names of NaN and
    -- the infinities survive the way back.
    (value) -> multiIf(
        value.value = 'string_value', value.string_value,
        value.value = 'int_value', toString(value.int_value),
        value.value = 'double_value', multiIf(isNaN(value.double_value), 'NaN',
                                              isInfinite(value.double_value), if(value.double_value > 0, 'Infinity', '-Infinity'),
                                              toString(value.double_value)),
        value.value = 'bool_value', if(value.bool_value, 'true', 'false'),
        value.value = 'bytes_value', base64Encode(value.bytes_value),
        value.value IN ('array_value', 'kvlist_value'), value.json_text,
        '') AS text,
    -- Of a repeated key the last one stays, in its place.
    (attributes) -> arrayFilter((attribute, repeat) -> repeat = 1, attributes,
                                arrayReverse(arrayEnumerateUniq(arrayReverse(attributes.key)))) AS last_of_each_key,
    (attributes) -> mapFromArrays(attributes.key, arrayMap(text, attributes.value)) AS as_map,
    (attributes) -> toString(CAST(attributes.value.value, 'Array(Int8)')) AS types,
    (attributes) -> arrayFilter(attribute -> attribute.value.value IN ('array_value', 'kvlist_value'), attributes) AS nested,
    (attributes) -> mapFromArrays(nested(attributes).key,
                                  arrayMap(value -> concat(value.array_value, value.kvlist_value), nested(attributes).value)) AS raw,
    (nanos) -> fromUnixTimestamp64Nano(toInt64(least(nanos, 9223372036854775807))) AS clamped
SELECT
    project AS Project,
    clamped(span.start_time_unix_nano) AS Timestamp,
    lower(hex(span.trace_id)) AS TraceId,
    lower(hex(span.span_id)) AS SpanId,
    if(span.parent_span_id = unhex('0000000000000000'), '', lower(hex(span.parent_span_id))) AS ParentSpanId,
    span.trace_state AS TraceState,
    span.name AS SpanName,
    transform(span.kind, [0, 1, 2, 3, 4, 5], ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer'], toString(span.kind)) AS SpanKind,
    service AS ServiceName,
    resource_map AS ResourceAttributes,
    ss.scope.name AS ScopeName,
    ss.scope.version AS ScopeVersion,
    as_map(attributes) AS SpanAttributes,
    greatest(span.end_time_unix_nano, span.start_time_unix_nano) - span.start_time_unix_nano AS Duration,
    transform(span.status.code, [0, 1, 2], ['Unset', 'Ok', 'Error'], toString(span.status.code)) AS StatusCode,
    span.status.message AS StatusMessage,
    arrayMap(nanos -> clamped(nanos), span.events.time_unix_nano) AS `Events.Timestamp`,
    span.events.name AS `Events.Name`,
    arrayMap(event -> as_map(event), event_attributes) AS `Events.Attributes`,
    arrayMap(id -> lower(hex(id)), span.links.trace_id) AS `Links.TraceId`,
    arrayMap(id -> lower(hex(id)), span.links.span_id) AS `Links.SpanId`,
    span.links.trace_state AS `Links.TraceState`,
    arrayMap(link -> as_map(link), link_attributes) AS `Links.Attributes`,
    if(span.end_time_unix_nano > 0 AND span.end_time_unix_nano >= span.start_time_unix_nano,
       seq, greatest(seq, 1125899906842624) - 1125899906842624) AS RowVersion,
    seq AS Seq,
    clamped(accepted_at) AS AcceptedAt,
    span.start_time_unix_nano AS StartTimeUnixNano,
    span.end_time_unix_nano AS EndTimeUnixNano,
    span.flags AS Flags,
    span.dropped_attributes_count AS DroppedAttributesCount,
    span.dropped_events_count AS DroppedEventsCount,
    span.dropped_links_count AS DroppedLinksCount,
    types(attributes) AS SpanAttributeTypes,
    raw(attributes) AS SpanAttributeRaw,
    resource_types AS ResourceAttributeTypes,
    resource_raw AS ResourceAttributeRaw,
    resource_dropped AS ResourceDroppedAttributesCount,
    resource_schema_url AS ResourceSchemaUrl,
    as_map(scope_attributes) AS ScopeAttributes,
    types(scope_attributes) AS ScopeAttributeTypes,
    raw(scope_attributes) AS ScopeAttributeRaw,
    ss.scope.dropped_attributes_count AS ScopeDroppedAttributesCount,
    ss.schema_url AS ScopeSchemaUrl,
    span.events.time_unix_nano AS `Events.TimeUnixNano`,
    arrayMap(event -> types(event), event_attributes) AS `Events.AttributeTypes`,
    arrayMap(event -> raw(event), event_attributes) AS `Events.AttributeRaw`,
    span.events.dropped_attributes_count AS `Events.DroppedAttributesCount`,
    arrayMap(link -> types(link), link_attributes) AS `Links.AttributeTypes`,
    arrayMap(link -> raw(link), link_attributes) AS `Links.AttributeRaw`,
    span.links.dropped_attributes_count AS `Links.DroppedAttributesCount`,
    span.links.flags AS `Links.Flags`
FROM
(
    SELECT
        *,
        arrayJoin(ss.spans) AS span,
        last_of_each_key(span.attributes) AS attributes,
        arrayMap(attributes -> last_of_each_key(attributes), span.events.attributes) AS event_attributes,
        arrayMap(attributes -> last_of_each_key(attributes), span.links.attributes) AS link_attributes
    FROM
    (
        SELECT
            seq,
            accepted_at,
            rs.project AS project,  -- as intake decided
            as_map(resource_attributes) AS resource_map,
            types(resource_attributes) AS resource_types,
            raw(resource_attributes) AS resource_raw,
            resource_map['service.name'] AS service,
            rs.resource.dropped_attributes_count AS resource_dropped,
            rs.schema_url AS resource_schema_url,
            arrayJoin(rs.scope_spans) AS ss,
            last_of_each_key(ss.scope.attributes) AS scope_attributes
        FROM
        (
            SELECT seq, accepted_at, arrayJoin(resource_spans) AS rs,
                   last_of_each_key(rs.resource.attributes) AS resource_attributes
            FROM otlp_requests
        )
    )
);

CREATE OR REPLACE VIEW v_spans AS
SELECT * EXCEPT (RowVersion, Seq, InsertedAt) FROM otel_traces FINAL
COMMENT 'Every span once, in its newest version; finished ones come before open ones.';

-- Open copies that 0.1.0 stored: one that comes later has to count more.
INSERT INTO otel_traces
SELECT * REPLACE (greatest(Seq, 1125899906842624) - 1125899906842624 AS RowVersion)
FROM
(
    SELECT *
    FROM otel_traces
    WHERE (EndTimeUnixNano = 0 OR EndTimeUnixNano < StartTimeUnixNano) AND RowVersion = Seq AND Seq > 0
);

ALTER TABLE otel_traces
    DELETE WHERE (EndTimeUnixNano = 0 OR EndTimeUnixNano < StartTimeUnixNano) AND RowVersion = Seq AND Seq > 0
SETTINGS mutations_sync = 1;
