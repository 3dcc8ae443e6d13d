-- Conversations: which trajectories belong to one, in the order in which they began.

ALTER TABLE trajectories ADD COLUMN IF NOT EXISTS ConversationId String CODEC(ZSTD(1)) COMMENT 'Conversation that the run belongs to, or empty.' AFTER Dialects;

ALTER TABLE trajectory_list ADD COLUMN IF NOT EXISTS ConversationId String CODEC(ZSTD(1)) COMMENT 'Conversation that the run belongs to, or empty.' AFTER Dialects;

CREATE TABLE IF NOT EXISTS conversation_index
(
    ConversationId String CODEC(ZSTD(1)) COMMENT 'Conversation.',
    StartTimeUnixNano UInt64 CODEC(Delta, ZSTD(1)) COMMENT 'Start of the root in nanoseconds since the epoch.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Project LowCardinality(String) COMMENT 'Tenant.',
    UpdatedAt DateTime CODEC(ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree
ORDER BY (ConversationId, StartTimeUnixNano, TraceId, Project)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'Where to look in trajectory_list for a conversation; trajectory_list has the truth.';

CREATE MATERIALIZED VIEW IF NOT EXISTS conversation_index_writer TO conversation_index AS
SELECT ConversationId, StartTimeUnixNano, TraceId, Project, UpdatedAt
FROM trajectory_list
WHERE ConversationId != '' AND NOT IsDeleted;

-- A view has the columns that its tables had when it was made.
CREATE OR REPLACE VIEW v_trajectories AS
SELECT * EXCEPT (Seq, Fingerprint, StepIds, SpansDocument) FROM trajectories FINAL
COMMENT 'Every trajectory once; add WHERE DuplicateOf = '''' to totals.';
