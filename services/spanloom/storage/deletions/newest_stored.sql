-- The highest stored sequence, regardless of the clock; no row if the store is empty.
SELECT Seq
FROM trace_changes
ORDER BY Seq DESC
LIMIT 1
