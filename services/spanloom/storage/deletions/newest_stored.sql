-- The newest sequence that is stored, whatever the clock said; no row of an empty store.
SELECT Seq
FROM trace_changes
ORDER BY Seq DESC
LIMIT 1
