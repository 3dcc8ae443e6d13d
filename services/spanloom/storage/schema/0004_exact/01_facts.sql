-- What is true of a store as a whole. A role that knows the id of its store recognises another one at
-- the next host of its list.
CREATE TABLE IF NOT EXISTS store_facts
(
    Name LowCardinality(String) COMMENT 'Which fact: id, or writes_from (the oldest release that may write).',
    Value String CODEC(ZSTD(1)) COMMENT 'Its value.',
    UpdatedAt DateTime64(3) DEFAULT now64(3) COMMENT 'When this was written; the newest counts.'
)
ENGINE = ReplacingMergeTree(UpdatedAt)
ORDER BY Name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Facts of the whole store; read with FINAL.';

-- Repeated, it changes nothing: a store has one id.
INSERT INTO store_facts (Name, Value)
SELECT 'id', toString(generateUUIDv4())
WHERE (SELECT count() FROM store_facts WHERE Name = 'id') = 0;
