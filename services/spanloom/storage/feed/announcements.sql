-- What was announced in a time, oldest first. What has the same time is not torn apart.
SELECT Project, TraceId, Version, Status, StartTimeUnixNano, IsSaid, toUnixTimestamp64Micro(ChangedAt) AS changed
FROM trajectory_changes
WHERE {reach}
  AND ChangedAt > fromUnixTimestamp64Micro({after_us:Int64})
  AND ChangedAt <= fromUnixTimestamp64Micro({until_us:Int64})
ORDER BY ChangedAt
LIMIT {most:UInt64} WITH TIES
