-- Raw spans. The columns up to `Links` have the names and types of the OpenTelemetry Collector's
-- ClickHouse exporter; the others hold what it takes to give a span back exactly as it was sent.
--
-- Settings that all tables have: every INSERT and every merged part is fsynced, for the spool forgets
-- what was stored, and by default a power loss takes a merged part for half a minute. Parts that a
-- failing disk has broken are set aside however many there are (`spanloom doctor` reports them): by
-- default the engine opens no table with more than 100. And no log of INSERTs is kept.

CREATE TABLE IF NOT EXISTS otel_traces
(
    Project LowCardinality(String) COMMENT 'Tenant: from the API key, else the resource, else default.',
    Timestamp DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'Start of the span; times after 2262-04-11 are clamped, see StartTimeUnixNano.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id, 32 lowercase hex digits.',
    SpanId String CODEC(LZ4) COMMENT 'Span id, 16 lowercase hex digits.',
    ParentSpanId String CODEC(ZSTD(1)) COMMENT 'Span id of the parent; empty for a root.',
    TraceState String CODEC(ZSTD(1)) COMMENT 'W3C trace state as sent.',
    SpanName LowCardinality(String) COMMENT 'Name of the span.',
    SpanKind LowCardinality(String) COMMENT 'Unspecified, Internal, Server, Client, Producer, Consumer, or the number of an unknown kind.',
    ServiceName LowCardinality(String) COMMENT 'Resource attribute service.name.',
    Environment LowCardinality(String) MATERIALIZED if(ResourceAttributes['deployment.environment.name'] != '', ResourceAttributes['deployment.environment.name'], ResourceAttributes['deployment.environment']) COMMENT 'Resource attribute deployment.environment.name, or its old name deployment.environment.',
    ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Resource attributes as text.',
    ScopeName LowCardinality(String) COMMENT 'Name of the instrumentation scope.',
    ScopeVersion LowCardinality(String) COMMENT 'Version of the instrumentation scope.',
    SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Span attributes as text: numbers in decimal, bytes in base64, arrays and key-value lists as JSON. Of a repeated key the last value counts.',
    Duration UInt64 CODEC(ZSTD(1)) COMMENT 'End minus start in nanoseconds; 0 if the span ends before it starts.',
    StatusCode LowCardinality(String) COMMENT 'Unset, Ok, Error, or the number of an unknown code.',
    StatusMessage String CODEC(ZSTD(1)) COMMENT 'Message of the status.',
    `Events.Timestamp` Array(DateTime64(9)) CODEC(ZSTD(1)) COMMENT 'Times of the span events, clamped like Timestamp.',
    `Events.Name` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Names of the span events.',
    `Events.Attributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)) COMMENT 'Attributes of the span events as text.',
    `Links.TraceId` Array(String) CODEC(ZSTD(1)) COMMENT 'Trace ids of the linked spans.',
    `Links.SpanId` Array(String) CODEC(ZSTD(1)) COMMENT 'Span ids of the linked spans.',
    `Links.TraceState` Array(String) CODEC(ZSTD(1)) COMMENT 'Trace states of the linked spans.',
    `Links.Attributes` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)) COMMENT 'Attributes of the links as text.',
    RowVersion UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought this version; of two versions of a span the higher one counts.',
    AcceptedAt DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'When the request was accepted; retention counts from here.',
    InsertedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this row was stored.',
    StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start in nanoseconds since the epoch, exactly as sent.',
    EndTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'End in nanoseconds since the epoch, exactly as sent.',
    Flags UInt32 CODEC(ZSTD(1)) COMMENT 'Span flags as sent.',
    DroppedAttributesCount UInt32 CODEC(ZSTD(1)) COMMENT 'Span attributes dropped before or at acceptance.',
    DroppedEventsCount UInt32 CODEC(ZSTD(1)) COMMENT 'Span events dropped before or at acceptance.',
    DroppedLinksCount UInt32 CODEC(ZSTD(1)) COMMENT 'Links dropped before or at acceptance.',
    SpanAttributeTypes LowCardinality(String) COMMENT 'Types of the span attributes in map order: 0 unset, 1 string, 2 bool, 3 int, 4 double, 5 array, 6 key-value list, 7 bytes.',
    SpanAttributeRaw Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Protobuf bytes of the arrays and key-value lists among the span attributes.',
    ResourceAttributeTypes LowCardinality(String) COMMENT 'Types of the resource attributes, coded like SpanAttributeTypes.',
    ResourceAttributeRaw Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Protobuf bytes of the arrays and key-value lists among the resource attributes.',
    ResourceDroppedAttributesCount UInt32 CODEC(ZSTD(1)) COMMENT 'Resource attributes dropped by the sender.',
    ResourceSchemaUrl LowCardinality(String) COMMENT 'Schema URL of the resource.',
    ScopeAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Scope attributes as text.',
    ScopeAttributeTypes LowCardinality(String) COMMENT 'Types of the scope attributes, coded like SpanAttributeTypes.',
    ScopeAttributeRaw Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Protobuf bytes of the arrays and key-value lists among the scope attributes.',
    ScopeDroppedAttributesCount UInt32 CODEC(ZSTD(1)) COMMENT 'Scope attributes dropped by the sender.',
    ScopeSchemaUrl LowCardinality(String) COMMENT 'Schema URL of the scope.',
    `Events.TimeUnixNano` Array(UInt64) CODEC(ZSTD(1)) COMMENT 'Times of the span events in nanoseconds since the epoch, exactly as sent.',
    `Events.AttributeTypes` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Types of each event''s attributes, coded like SpanAttributeTypes.',
    `Events.AttributeRaw` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)) COMMENT 'Protobuf bytes of the arrays and key-value lists among each event''s attributes.',
    `Events.DroppedAttributesCount` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'Attributes dropped from each event.',
    `Links.AttributeTypes` Array(LowCardinality(String)) CODEC(ZSTD(1)) COMMENT 'Types of each link''s attributes, coded like SpanAttributeTypes.',
    `Links.AttributeRaw` Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)) COMMENT 'Protobuf bytes of the arrays and key-value lists among each link''s attributes.',
    `Links.DroppedAttributesCount` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'Attributes dropped from each link.',
    `Links.Flags` Array(UInt32) CODEC(ZSTD(1)) COMMENT 'Flags of each link as sent.'
)
ENGINE = ReplacingMergeTree(RowVersion)
PARTITION BY toYYYYMM(
    least(greatest(Timestamp, toDateTime64('2020-01-01 00:00:00', 9, 'UTC')),
          toDateTime64('2039-12-31 00:00:00', 9, 'UTC')),
    'UTC')
ORDER BY (Project, TraceId, SpanId)
-- Compact parts: an INSERT writes and fsyncs one file instead of some 200, at half the CPU time.
-- Small granules: what is read is always a few traces, and a granule is read whole. Measured on
-- 100,000 spans, against 8,192 rows: reading 30 traces costs a quarter, an INSERT an eighth more.
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, min_bytes_for_wide_part = 268435456,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Spans as they were sent, one row per accepted version until merged; read v_spans for the newest.';

-- The decoder. OTLP protobuf goes into `otlp_requests` (FORMAT Protobuf, message Record of
-- store.proto) and comes out as rows of `otel_traces`; Python never looks into a span. The project of
-- a resource's spans is decided by the receiver (collector/intake/tenancy.py) and only read here.
CREATE TABLE IF NOT EXISTS otlp_requests
(
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
        project LowCardinality(String))) COMMENT 'ExportTraceServiceRequest.resource_spans; the enum `value` says which arm of the oneof was set, `project` is what intake wrote.',
    seq UInt64 COMMENT 'Sequence of the request in its spool; becomes RowVersion.',
    accepted_at UInt64 COMMENT 'Time of acceptance in nanoseconds since the epoch.'
)
ENGINE = Null
COMMENT 'Entrance for export requests; keeps nothing, otlp_decoder turns them into rows of otel_traces.';

CREATE MATERIALIZED VIEW IF NOT EXISTS otlp_decoder TO otel_traces AS
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

CREATE VIEW IF NOT EXISTS v_spans AS
SELECT * EXCEPT (RowVersion, InsertedAt) FROM otel_traces FINAL
COMMENT 'Every span once, in its newest version.';
