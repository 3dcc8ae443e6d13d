-- What a call said, so that two calls with equal counts at the same time are not taken for one.
ALTER TABLE call_index ADD COLUMN IF NOT EXISTS
    Answer UInt64 CODEC(ZSTD(1)) COMMENT 'Digest of the answer; 0 if unknown.';

ALTER TABLE call_index ADD COLUMN IF NOT EXISTS
    Question UInt64 CODEC(ZSTD(1)) COMMENT 'Digest of the question to a short answer; 0 if unknown.';
