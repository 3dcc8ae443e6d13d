SELECT number, name, checksum
FROM schema_expansions FINAL
ORDER BY number
