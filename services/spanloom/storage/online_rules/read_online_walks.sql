-- The progress of walks over past runs.
SELECT {columns}
FROM online_walks FINAL
WHERE {reach}
ORDER BY Project, Rule, Walk
