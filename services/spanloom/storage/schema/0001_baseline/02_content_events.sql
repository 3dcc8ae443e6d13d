-- GenAI content that came as log records. The receiver gives it the form of spans (message Record of
-- store.proto): the parent is the span that it belongs to, the id a fingerprint of its content, the
-- flags its place in the request.

CREATE TABLE IF NOT EXISTS genai_events
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id, 32 lowercase hex digits.',
    SpanId String CODEC(ZSTD(1)) COMMENT 'Span that the event tells of, 16 lowercase hex digits.',
    EventId String CODEC(LZ4) COMMENT 'Fingerprint of the event: a repeat is the same row.',
    EventName LowCardinality(String) COMMENT 'gen_ai.user.message, gen_ai.choice and their kin.',
    TimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Time of the event in nanoseconds since the epoch.',
    Place UInt32 CODEC(ZSTD(1)) COMMENT 'Place in the request; orders events of one time.',
    Attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Attributes and fields of the body as text, like SpanAttributes.',
    RowVersion UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Sequence of the request that brought it.',
    AcceptedAt DateTime64(9) CODEC(Delta, ZSTD(1)) COMMENT 'When the request was accepted; retention counts from here.'
)
ENGINE = ReplacingMergeTree(RowVersion)
ORDER BY (Project, TraceId, SpanId, EventId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0, min_bytes_for_wide_part = 268435456,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'GenAI content events from log records; the extractor reads them with their spans.';

CREATE TABLE IF NOT EXISTS otlp_event_requests AS otlp_requests
ENGINE = Null
COMMENT 'Entrance for content events; keeps nothing, genai_events_decoder turns them into rows.';

CREATE MATERIALIZED VIEW IF NOT EXISTS genai_events_decoder TO genai_events AS
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
