-- Who stored a row of the feed: a writer numbers its rows and stores one INSERT after the other, so that a
-- reader knows which are new though several write (ADR 30). Rows of the embedded store need neither.
ALTER TABLE trajectory_changes
    ADD COLUMN IF NOT EXISTS Writer UInt32 DEFAULT 0 CODEC(ZSTD(1)) COMMENT 'Process that stored the row, a random number; 0 if no other may write.',
    ADD COLUMN IF NOT EXISTS Number UInt32 DEFAULT 0 CODEC(Delta, ZSTD(1)) COMMENT 'Its number among the rows of the writer, from 1.',
    ADD COLUMN IF NOT EXISTS IsAgain Bool DEFAULT false CODEC(ZSTD(1)) COMMENT 'Whether an earlier INSERT of it took too long or lost its answer, so that readers may have missed it.',
    ADD INDEX IF NOT EXISTS trace TraceId TYPE bloom_filter(0.01) GRANULARITY 1;
