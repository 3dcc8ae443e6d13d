-- The project of a resource's spans is decided by the receiver (collector/intake/tenancy.py), which
-- writes it behind each resource entry of a record; the decoders only read it. The record's own
-- `project`, from which they chose before, is no longer read.

ALTER TABLE otlp_requests MODIFY COLUMN
    resource_spans Array(Tuple(
        resource Tuple(
            attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
            dropped_attributes_count UInt32),
        scope_spans Array(Tuple(
            scope Tuple(
                name LowCardinality(String),
                version LowCardinality(String),
                attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                dropped_attributes_count UInt32),
            spans Array(Tuple(
                trace_id String,
                span_id String,
                trace_state String,
                parent_span_id String,
                name LowCardinality(String),
                kind Int32,
                start_time_unix_nano UInt64,
                end_time_unix_nano UInt64,
                attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                dropped_attributes_count UInt32,
                events Array(Tuple(
                    time_unix_nano UInt64,
                    name String,
                    attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                    dropped_attributes_count UInt32)),
                dropped_events_count UInt32,
                links Array(Tuple(
                    trace_id String,
                    span_id String,
                    trace_state String,
                    attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                    dropped_attributes_count UInt32,
                    flags UInt32)),
                dropped_links_count UInt32,
                status Tuple(message String, code Int32),
                flags UInt32)),
            schema_url LowCardinality(String))),
        schema_url LowCardinality(String),
        project LowCardinality(String))) COMMENT 'ExportTraceServiceRequest.resource_spans; the enum `value` says which arm of the oneof was set, `project` is what intake wrote.';

ALTER TABLE otlp_event_requests MODIFY COLUMN
    resource_spans Array(Tuple(
        resource Tuple(
            attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
            dropped_attributes_count UInt32),
        scope_spans Array(Tuple(
            scope Tuple(
                name LowCardinality(String),
                version LowCardinality(String),
                attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                dropped_attributes_count UInt32),
            spans Array(Tuple(
                trace_id String,
                span_id String,
                trace_state String,
                parent_span_id String,
                name LowCardinality(String),
                kind Int32,
                start_time_unix_nano UInt64,
                end_time_unix_nano UInt64,
                attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                dropped_attributes_count UInt32,
                events Array(Tuple(
                    time_unix_nano UInt64,
                    name String,
                    attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                    dropped_attributes_count UInt32)),
                dropped_events_count UInt32,
                links Array(Tuple(
                    trace_id String,
                    span_id String,
                    trace_state String,
                    attributes Array(Tuple(key LowCardinality(String), value Tuple(value Enum8('unset' = 0, 'string_value' = 1, 'bool_value' = 2, 'int_value' = 3, 'double_value' = 4, 'array_value' = 5, 'kvlist_value' = 6, 'bytes_value' = 7), string_value String, bool_value Bool, int_value Int64, double_value Float64, array_value String, kvlist_value String, bytes_value String, json_text String))),
                    dropped_attributes_count UInt32,
                    flags UInt32)),
                dropped_links_count UInt32,
                status Tuple(message String, code Int32),
                flags UInt32)),
            schema_url LowCardinality(String))),
        schema_url LowCardinality(String),
        project LowCardinality(String))) COMMENT 'ExportTraceServiceRequest.resource_spans; the enum `value` says which arm of the oneof was set, `project` is what intake wrote.';

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
    seq AS RowVersion,
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
            rs.project AS project,
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

ALTER TABLE genai_events_decoder MODIFY QUERY
WITH
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
    (attributes) -> arrayFilter((attribute, repeat) -> repeat = 1, attributes,
                                arrayReverse(arrayEnumerateUniq(arrayReverse(attributes.key)))) AS last_of_each_key,
    (attributes) -> mapFromArrays(attributes.key, arrayMap(text, attributes.value)) AS as_map
SELECT
    project AS Project,
    lower(hex(event.trace_id)) AS TraceId,
    lower(hex(event.parent_span_id)) AS SpanId,
    lower(hex(event.span_id)) AS EventId,
    event.name AS EventName,
    event.start_time_unix_nano AS TimeUnixNano,
    event.flags AS Place,
    as_map(last_of_each_key(event.attributes)) AS Attributes,
    seq AS RowVersion,
    fromUnixTimestamp64Nano(toInt64(least(accepted_at, 9223372036854775807))) AS AcceptedAt
FROM
(
    SELECT seq, accepted_at, project, arrayJoin(ss.spans) AS event
    FROM
    (
        SELECT seq, accepted_at, rs.project AS project, arrayJoin(rs.scope_spans) AS ss
        FROM (SELECT seq, accepted_at, arrayJoin(resource_spans) AS rs FROM otlp_event_requests)
    )
);

ALTER TABLE otlp_requests DROP COLUMN IF EXISTS project;
ALTER TABLE otlp_event_requests DROP COLUMN IF EXISTS project;
