-- The lock of 0.1.0: its holder, and until when it migrates.
SELECT Holder
FROM schema_migration_lock
WHERE Ends > now()
