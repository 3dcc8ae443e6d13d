-- Every table: its name, the query of a view, whether it has readable rows, and its computed columns.
-- A materialized view has no rows of its own, but reading it reads the table that it fills.
SELECT name, if(engine = 'View', as_select, ''), engine LIKE '%MergeTree', computed
FROM system.tables
LEFT JOIN
(
    SELECT table AS name, groupArray(system.columns.name) AS computed
    FROM system.columns
    WHERE database = currentDatabase() AND default_kind IN ('MATERIALIZED', 'ALIAS')
    GROUP BY table
) AS of_tables USING (name)
WHERE database = currentDatabase()
