-- Every table: its name, what it reads if it is a view, whether it holds rows to be read.
-- Materialized views hold nothing of their own, but reading one reads the table that it fills.
SELECT name, if(engine = 'View', as_select, ''), engine LIKE '%MergeTree' FROM system.tables
WHERE database = currentDatabase()
