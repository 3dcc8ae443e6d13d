-- Every table: its name, the query of a view, and whether it has readable rows.
-- A materialized view has no rows of its own, but reading it reads the table that it fills.
SELECT name, if(engine = 'View', as_select, ''), engine LIKE '%MergeTree' FROM system.tables
WHERE database = currentDatabase()
