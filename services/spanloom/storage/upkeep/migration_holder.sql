-- The holder of the migration lock, and the end of its lease (seconds since the epoch).
SELECT Holder, toUnixTimestamp(Ends)
FROM schema_migration_lock
ORDER BY Ends DESC
LIMIT 1
