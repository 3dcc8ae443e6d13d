SELECT number, name, checksum
FROM schema_migrations FINAL
ORDER BY number
