-- The progress of walks over past runs.
SELECT Project, Rule, Walk, Wanted, Position, Taken, IsDone, AtUnixMicro
FROM online_walks FINAL
WHERE {reach}
ORDER BY Project, Rule, Walk
