-- Items are given out by what had failed in them too, and some have answers that are known.

ALTER TABLE annotation_queue_items
    ADD COLUMN IF NOT EXISTS Failures UInt32 DEFAULT 0 CODEC(ZSTD(1)) COMMENT 'What had failed in it when it was put in.',
    ADD COLUMN IF NOT EXISTS IsGold Bool DEFAULT false COMMENT 'Whether its answers are known: every annotator gets it.';
