-- The project leads every key. conversation_index was led by the conversation, whose id anybody may
-- choose; what replaces it is filled from trajectory_list, which has the truth. And a replay tells
-- whose traces it selects by name or as every project's, not by a NULL.

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
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0
COMMENT 'Where to look in trajectory_list for a conversation; trajectory_list has the truth.';

CREATE MATERIALIZED VIEW IF NOT EXISTS conversation_members_writer TO conversation_members AS
SELECT Project, ConversationId, StartTimeUnixNano, TraceId, UpdatedAt
FROM trajectory_list
WHERE ConversationId != '' AND NOT IsDeleted;

-- Said twice it changes nothing: equal rows become one.
INSERT INTO conversation_members
SELECT Project, ConversationId, StartTimeUnixNano, TraceId, UpdatedAt
FROM trajectory_list
WHERE ConversationId != '' AND NOT IsDeleted;

DROP VIEW IF EXISTS conversation_index_writer;

DROP TABLE IF EXISTS conversation_index;

ALTER TABLE replays
    ADD COLUMN IF NOT EXISTS EveryProject Bool DEFAULT isNull(Project) COMMENT 'Whether traces of every project are selected.' AFTER Project,
    ADD COLUMN IF NOT EXISTS Projects Array(String) DEFAULT if(isNull(Project), [], [assumeNotNull(Project)]) COMMENT 'Else: the projects whose traces are selected.' AFTER EveryProject;
