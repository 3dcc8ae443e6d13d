-- Which trajectories belong to a conversation, in the order in which they began. The project leads the key:
-- the id of a conversation is the sender's choice.

CREATE TABLE IF NOT EXISTS conversation_members
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    ConversationId String CODEC(ZSTD(1)) COMMENT 'Conversation.',
    StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    UpdatedAt DateTime CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, ConversationId, StartTimeUnixNano, TraceId)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Where to look in trajectory_list for a conversation; trajectory_list has the truth.';

CREATE MATERIALIZED VIEW IF NOT EXISTS conversation_members_writer TO conversation_members AS
SELECT Project, ConversationId, StartTimeUnixNano, TraceId, UpdatedAt
FROM trajectory_list
WHERE ConversationId != '' AND NOT IsDeleted;
