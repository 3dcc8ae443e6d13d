-- Online rules: what judges runs as they come in, the work that this makes, and how far walks over the past are.
-- Who takes in the change feed writes work of revision 0: to take the same in again changes nothing.
CREATE TABLE IF NOT EXISTS online_rules
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Name String CODEC(ZSTD(1)) COMMENT 'Name of the rule; its id too.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'The next one where it judges other runs, or in another way.',
    Definition String CODEC(ZSTD(1)) COMMENT 'JSON: condition, evaluators, sample and limits.',
    IsPaused Bool COMMENT 'Whether nothing is judged at the moment; work is taken in.',
    IsDeleted Bool COMMENT 'Whether it is gone.',
    SinceAt DateTime64(6) DEFAULT now64(6) CODEC(ZSTD(1)) COMMENT 'When it was made, by the clock of the store: what was announced before is of the past.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it was put, in microseconds since the epoch; the latest counts.',
    PutBy LowCardinality(String) COMMENT 'Who put it, as they call themselves; or empty.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Name)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Online rules by project and name; read with FINAL.';

CREATE TABLE IF NOT EXISTS online_work
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    TraceId String CODEC(ZSTD(1)) COMMENT 'Trace id.',
    Rule LowCardinality(String) COMMENT 'Name of the rule.',
    RuleVersion UInt32 CODEC(ZSTD(1)) COMMENT 'Its version.',
    Version UInt32 CODEC(ZSTD(1)) COMMENT 'Version of the trajectory.',
    Revision UInt32 CODEC(ZSTD(1)) COMMENT 'The highest counts; 0 as it was taken in.',
    State LowCardinality(String) COMMENT 'pending, done, error, deferred, stale or dropped.',
    IsSettled Bool COMMENT 'Whether that version is of a run that has settled.',
    AskedUnixMicro Int64 CODEC(Delta, ZSTD(1)) COMMENT 'When it became known, in microseconds since the epoch.',
    DueUnixMicro Int64 CODEC(Delta, ZSTD(1)) COMMENT 'Not before this time, in microseconds since the epoch.',
    Attempts UInt16 CODEC(ZSTD(1)) COMMENT 'How often a provider failed.',
    Views Map(LowCardinality(String), String) CODEC(ZSTD(1)) COMMENT 'Fingerprint of what each evaluator has judged.',
    IsJudged Bool COMMENT 'Whether an evaluator has judged it.',
    Calls UInt32 CODEC(ZSTD(1)) COMMENT 'Requests to a model that it took.',
    Tokens UInt64 CODEC(ZSTD(1)) COMMENT 'Tokens that it took, in and out.',
    Cost Float64 CODEC(ZSTD(1)) COMMENT 'What it cost, in US dollars, as far as that is known.',
    JudgedUnixMicro Int64 CODEC(Delta, ZSTD(1)) COMMENT 'When it was judged last, in microseconds since the epoch; or 0.',
    Error String CODEC(ZSTD(1)) COMMENT 'Why it could not be judged.',
    UpdatedAt DateTime DEFAULT now() CODEC(Delta, ZSTD(1)) COMMENT 'When this row was stored; retention counts from here.'
)
ENGINE = ReplacingMergeTree(Revision)
ORDER BY (Project, TraceId, Rule, RuleVersion, Version)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'What online rules have to do, and have done, with versions of runs; read with FINAL.';

CREATE TABLE IF NOT EXISTS online_walks
(
    Project LowCardinality(String) COMMENT 'Tenant.',
    Rule String CODEC(ZSTD(1)) COMMENT 'Name of the rule.',
    Walk LowCardinality(String) COMMENT 'backfill or rescore.',
    Wanted String CODEC(ZSTD(1)) COMMENT 'What it walks over: another one begins at the beginning.',
    Position String CODEC(ZSTD(1)) COMMENT 'JSON: where it goes on; empty at the beginning.',
    Taken UInt64 CODEC(ZSTD(1)) COMMENT 'How many runs it gave the rule to judge.',
    IsDone Bool COMMENT 'Whether it is at its end.',
    AtUnixMicro UInt64 CODEC(ZSTD(1)) COMMENT 'When it came there, in microseconds since the epoch; the latest counts.'
)
ENGINE = ReplacingMergeTree(AtUnixMicro)
ORDER BY (Project, Rule, Walk)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'How far walks of online rules over runs of the past have come; read with FINAL.';
