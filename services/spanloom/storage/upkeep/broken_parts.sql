-- How many parts the engine found broken when it opened the tables, and has set aside.
SELECT count()
FROM system.detached_parts
WHERE database = currentDatabase() AND reason LIKE 'broken%'
