-- The columns of the engine's own tables.
SELECT table, groupArray(name) FROM system.columns WHERE database = 'system' GROUP BY table
