-- Raw spans. The columns up to `Links` have the names and types of the OpenTelemetry Collector's
-- ClickHouse exporter; the others hold what it takes to give a span back exactly as it was sent.

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
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
         min_bytes_for_wide_part = 268435456
COMMENT 'Spans as they were sent, one row per accepted version until merged; read v_spans for the newest.';
