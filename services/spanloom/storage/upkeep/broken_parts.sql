-- The number of broken parts that the engine detached when it opened the tables.
SELECT count()
FROM system.detached_parts
WHERE database = currentDatabase() AND reason LIKE 'broken%'
