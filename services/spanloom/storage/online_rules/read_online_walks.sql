-- How far walks over runs of the past have come.
SELECT Project, Rule, Walk, Wanted, Position, Taken, IsDone, AtUnixMicro
FROM online_walks FINAL
WHERE {reach}
ORDER BY Project, Rule, Walk
