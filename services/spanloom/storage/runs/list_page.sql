-- Rows of the list for some trajectories, at all positions that their builds may have, oldest first, and whether each
-- row matches the filters; the last row of a run counts. FINAL would also compare all neighbouring rows.
SELECT {columns}, Seq, IsDeleted, {rank} AS Rank, {filter} AND NOT IsDeleted AS Passes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    SELECT Project, arrayJoin(arrayPushFront(Before, StartTimeUnixNano)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  )
ORDER BY Seq, Version, IsDeleted DESC
