-- Who migrates, and until when the lease lasts (seconds since the epoch).
SELECT Holder, toUnixTimestamp(Ends)
FROM schema_migration_lock
ORDER BY Ends DESC
LIMIT 1
