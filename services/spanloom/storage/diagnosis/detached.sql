-- Parts that the engine has detached, broken ones first.
SELECT table, name, ifNull(reason, '') AS why, bytes_on_disk
FROM system.detached_parts
WHERE database = currentDatabase()
ORDER BY why LIKE 'broken%' DESC, table, name
