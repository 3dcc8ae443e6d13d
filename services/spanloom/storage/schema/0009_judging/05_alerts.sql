-- Alerts: what is watched for and whom it is told, what fired and was taken back, and what became of each delivery. Rows are
-- only added. That an alert fired for a trace stays when the trace is deleted, to be taken back; what it showed of the run does not.
CREATE TABLE IF NOT EXISTS alerts
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the alert.',
    Revision UInt32 CODEC(ZSTD(1)) COMMENT 'Number of the change, from 1; the newest counts.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store; of one revision the earliest counts.',
    Change String CODEC(ZSTD(1)) COMMENT 'Of this change, random.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Number of what is asked, from 1; a change of anything else keeps it.',
    Definition String CODEC(ZSTD(1)) COMMENT 'JSON: what is asked, channels, severity; files of secrets by name.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was put, in microseconds since the epoch.',
    PutBy LowCardinality(String) COMMENT 'Who put it, as they call themselves; or empty.',
    IsDeleted Bool COMMENT 'Whether the alert is deleted by this.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, Name, Revision, StoredAt, Change)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Every change of the alerts.';

CREATE TABLE IF NOT EXISTS alert_events
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'The run that it is about; empty of a number.',
    Alert String CODEC(ZSTD(1)) COMMENT 'Name of the alert.',
    AlertVersion UInt32 CODEC(ZSTD(1)) COMMENT 'Its version that fired.',
    Id String CODEC(ZSTD(1)) COMMENT 'Hash of what makes it one: alert, version, and trace, or group and episode.',
    Number UInt32 CODEC(ZSTD(1)) COMMENT 'Counts what became of it, from 1; the highest counts.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store; of one number the earliest counts.',
    State LowCardinality(String) COMMENT 'firing, resolved or withdrawn.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was found, in microseconds since the epoch.',
    RunVersion UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory that showed it; 0 of a number.',
    GroupKey String CODEC(ZSTD(1)) COMMENT 'JSON: the values of the group of a number; empty of a run.',
    Episode UInt32 CODEC(ZSTD(1)) COMMENT 'Counts how often the number of a group fired, from 1; 0 of a run.',
    Value Nullable(Float64) CODEC(ZSTD(1)) COMMENT 'The number.',
    Reason String CODEC(ZSTD(1)) COMMENT 'JSON: why it was taken back or ended; or empty.',
    Channels Array(String) CODEC(ZSTD(1)) COMMENT 'Channels that it is told to, by their hashes.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Alert, AlertVersion, Id, Number, StoredAt)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What alerts fired for, and what became of it.';

CREATE TABLE IF NOT EXISTS alert_evidence
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'The run.',
    Id String CODEC(ZSTD(1)) COMMENT 'Of the event.',
    Number UInt32 CODEC(ZSTD(1)) COMMENT 'Of the event.',
    StoredAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store; of one number the earliest counts.',
    Content String CODEC(ZSTD(3)) COMMENT 'JSON: name and question of the run, the steps that show it, and the ids of all its steps.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Id, Number, StoredAt)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What a run showed when an alert fired; goes with the run.';

CREATE TABLE IF NOT EXISTS alert_deliveries
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Alert String CODEC(ZSTD(1)) COMMENT 'Name of the alert.',
    Id String CODEC(ZSTD(1)) COMMENT 'Of the event.',
    Number UInt32 CODEC(ZSTD(1)) COMMENT 'Of the event.',
    Channel String CODEC(ZSTD(1)) COMMENT 'Hash of kind and address of the channel.',
    Tries UInt32 CODEC(ZSTD(1)) COMMENT 'How often it was tried; the highest counts.',
    StoredAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When it was stored, by the clock of the store.',
    State LowCardinality(String) COMMENT 'pending, delivered or undelivered.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was tried last, in microseconds since the epoch.',
    Error String CODEC(ZSTD(1)) COMMENT 'Why it failed; or empty.'
)
ENGINE = ReplacingMergeTree(Tries)
ORDER BY (Project, Alert, Id, Number, Channel)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What became of telling each channel; read with FINAL. Without a row it was not tried yet.';
