-- Versions that count what was read (ADR 4). Seq of the tables of trajectories is a rank, unique among
-- the builds of a trace; for old rows it is the sequence that they were built from, so that ranks go on
-- from there. Places in the list are left by what is stored (ADR 66).
ALTER TABLE trajectories
    ADD COLUMN IF NOT EXISTS NewestSeq UInt64 DEFAULT Seq CODEC(ZSTD(1)) COMMENT 'Newest sequence it was built from; 0 if no span could be read.' AFTER Seq,
    ADD COLUMN IF NOT EXISTS ReadMark String CODEC(ZSTD(1)) COMMENT 'How much it was built from: spans and events, and the sum of their ranks; or empty.' AFTER NewestSeq,
    ADD COLUMN IF NOT EXISTS Before Array(UInt64) CODEC(ZSTD(1)) COMMENT 'Starts at which lists had earlier builds, newest first.' AFTER StartTimeUnixNano,
    COMMENT COLUMN Seq 'Rank of this build of the trace; the highest is the current one.';

ALTER TABLE trajectory_list MODIFY COLUMN Seq COMMENT 'Rank of this build of the trace; the highest is the current one.';

ALTER TABLE trajectory_list MODIFY COMMENT 'Summaries by start, for lists; read with FINAL, each trajectory is there once.';

ALTER TABLE call_index MODIFY COLUMN Seq COMMENT 'Rank of the build of the trace; a row counts while it is the current one.';

CREATE TABLE IF NOT EXISTS trajectory_builds
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Rank UInt64 CODEC(ZSTD(1)) COMMENT 'Reserved rank.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Reserved version number.',
    Builder UInt64 CODEC(ZSTD(1)) COMMENT 'Random number of the process that reserved them.',
    Fingerprint String CODEC(ZSTD(1)) COMMENT 'Identifies the content that it is going to write.',
    ReadMark String CODEC(ZSTD(1)) COMMENT 'How much it was built from.',
    Status LowCardinality(String) COMMENT 'Status that it is going to write.',
    ExtractorVersion LowCardinality(String) COMMENT 'Extractor that built it.',
    StartTimeUnixNano UInt64 CODEC(ZSTD(1)) COMMENT 'Its place in lists.',
    ReservedAt DateTime DEFAULT now() CODEC(ZSTD(1)) COMMENT 'When it was reserved; retention counts from here.'
)
ENGINE = ReplacingMergeTree
ORDER BY (Project, TraceId, Rank, Version, Builder)
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 67108864, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Ranks and version numbers that extractors of a server have reserved; empty in an embedded store.';
