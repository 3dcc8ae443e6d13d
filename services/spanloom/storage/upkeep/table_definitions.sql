-- The CREATE statements of some tables of this database, including their TTL.
SELECT name, create_table_query
FROM system.tables
WHERE database = currentDatabase() AND name IN JSONExtract({tables:String}, 'Array(String)')
