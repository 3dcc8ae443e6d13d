-- Keys, for services on a server. Beside an embedded store they lie in a file, which other processes
-- may open. Making, revoking and using a key are three rows that merge in any order: nothing is lost
-- when they happen at the same time.

CREATE TABLE IF NOT EXISTS access_keys
(
    Id String COMMENT 'Public part of the key.',
    Digest SimpleAggregateFunction(max, String) COMMENT 'SHA-256 of the key in hex; the key itself is nowhere.',
    Project SimpleAggregateFunction(max, String) COMMENT 'Tenant that the key opens, * for all.',
    Scopes SimpleAggregateFunction(max, String) COMMENT 'What it allows, with commas between.',
    CreatedUnixNano SimpleAggregateFunction(max, UInt64) COMMENT 'When it was made, in nanoseconds since the epoch.',
    ExpiresUnixNano SimpleAggregateFunction(max, UInt64) COMMENT 'When it expires, 0 for never.',
    RevokedUnixNano SimpleAggregateFunction(min, UInt64) DEFAULT 18446744073709551615 COMMENT 'When it was first revoked; the greatest number: not.',
    UsedUnixNano SimpleAggregateFunction(max, UInt64) COMMENT 'When it was last used, 0 for never.'
)
ENGINE = AggregatingMergeTree
ORDER BY Id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 0,
    min_rows_to_fsync_after_merge = 1, max_suspicious_broken_parts = 1000000000, max_suspicious_broken_parts_bytes = 1000000000000000
COMMENT 'Who may come in, on a server; unused beside an embedded store.';
