-- The stored bytes of each project, the largest first; from the projection of that name.
SELECT Project, sum(Bytes) AS bytes
FROM trace_changes
GROUP BY Project
ORDER BY bytes DESC
LIMIT {limit:UInt64}
