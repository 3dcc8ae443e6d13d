-- The number of rows of a table that are flagged as kept.
SELECT count()
FROM {table:Identifier}
WHERE IsKept
