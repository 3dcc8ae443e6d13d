-- How many rows of a table are marked.
SELECT count()
FROM {table:Identifier}
WHERE IsKept
