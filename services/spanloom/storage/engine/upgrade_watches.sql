SELECT name
FROM system.tables
WHERE database = currentDatabase() AND startsWith(name, {prefix:String})
ORDER BY name
