-- The statements that make some tables of this database, TTL included.
SELECT name, create_table_query
FROM system.tables
WHERE database = currentDatabase() AND name IN JSONExtract({tables:String}, 'Array(String)')
