SELECT currentDatabase() AS own, count() AS tables
FROM system.tables
WHERE database = currentDatabase()
