-- The number of marked rows of a table.
SELECT count()
FROM {table:Identifier}
WHERE IsKept
