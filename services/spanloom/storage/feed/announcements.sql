-- The announcements of a time range, oldest first. Announcements of the same time are not split.
SELECT Project, TraceId, Version, Status, StartTimeUnixNano, IsSaid, Writer, Number, IsAgain,
       toUnixTimestamp64Micro(ChangedAt) AS changed
FROM trajectory_changes
WHERE {reach}
  AND ChangedAt > fromUnixTimestamp64Micro({after_us:Int64})
  AND ChangedAt <= fromUnixTimestamp64Micro({until_us:Int64})
  AND (Writer > 0 OR ChangedAt <= fromUnixTimestamp64Micro({numberless_us:Int64}))
ORDER BY ChangedAt
LIMIT {most:UInt64} WITH TIES
