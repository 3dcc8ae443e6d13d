-- Why a trace could not be built, and a way to find such traces among all others.

ALTER TABLE trace_progress
    ADD COLUMN IF NOT EXISTS Error String CODEC(ZSTD(1)) COMMENT 'Why the newest attempt failed; empty if it did not.' AFTER Arrived,
    ADD INDEX IF NOT EXISTS failed_attempts Attempts TYPE minmax GRANULARITY 1;
