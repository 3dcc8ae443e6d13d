-- The columns of some tables and views of this database, in their order.
SELECT table, name
FROM system.columns
WHERE database = currentDatabase() AND table IN JSONExtract({tables:String}, 'Array(String)')
ORDER BY table, position
