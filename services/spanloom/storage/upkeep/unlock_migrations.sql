DROP TABLE IF EXISTS schema_migration_lock SYNC
