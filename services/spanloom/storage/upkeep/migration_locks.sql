SELECT name, comment
FROM system.tables
WHERE database = currentDatabase() AND match(name, '^schema_migration_lock_[0-9]+$')
ORDER BY toUInt64(extract(name, '[0-9]+$')) DESC
