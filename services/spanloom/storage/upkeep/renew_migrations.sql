INSERT INTO schema_migration_lock
SELECT {holder:String}, fromUnixTimestamp({ends:UInt32})
