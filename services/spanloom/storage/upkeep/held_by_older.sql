-- The holder of the migration lock of release 0.1.0, if the lock has not ended.
SELECT Holder
FROM schema_migration_lock
WHERE Ends > now()
