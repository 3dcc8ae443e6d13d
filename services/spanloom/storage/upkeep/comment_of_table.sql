-- The comment of a table or view of this database.
SELECT comment
FROM system.tables
WHERE database = currentDatabase() AND name = {table:String}
