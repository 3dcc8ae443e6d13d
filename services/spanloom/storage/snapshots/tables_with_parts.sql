-- The tables of this database that store rows: no views, no Null tables.
SELECT name
FROM system.tables
WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')
ORDER BY name
