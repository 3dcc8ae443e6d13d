-- Seconds since the last additions were made, by the store's clock.
SELECT dateDiff('ms', max(applied_at), now64(3)) / 1000
FROM schema_expansions
