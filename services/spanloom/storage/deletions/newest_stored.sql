-- The highest stored sequence of a request that brought spans, regardless of the clock; no row if the
-- store is empty.
SELECT Seq
FROM trace_changes
WHERE Spans > 0
ORDER BY Seq DESC
LIMIT 1
