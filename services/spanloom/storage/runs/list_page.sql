-- The list's rows of some trajectories at the positions that any of their builds may have, oldest first,
-- and whether a row matches the filters; the last row of each counts. FINAL would also compare all
-- neighbouring rows.
SELECT {columns}, Seq, IsDeleted, {rank} AS Rank, {filter} AND NOT IsDeleted AS Passes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    SELECT Project, arrayJoin(arrayPushFront(Before, StartTimeUnixNano)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  )
ORDER BY Seq, Version, IsDeleted DESC
