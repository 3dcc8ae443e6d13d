-- The announcements of versions of some traces since a time, oldest first.
SELECT Project, TraceId, Version, Status, StartTimeUnixNano, IsSaid, Writer, Number, IsAgain,
       toUnixTimestamp64Micro(ChangedAt) AS changed
FROM trajectory_changes
WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))') AND NOT IsSaid
  AND ChangedAt > fromUnixTimestamp64Micro({since_us:Int64})
ORDER BY ChangedAt
