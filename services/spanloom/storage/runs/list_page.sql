-- The list's rows of some trajectories at their current position, oldest first, and whether a row
-- matches the filters; the last row of each counts. FINAL would also compare all neighbouring rows.
SELECT {columns}, Seq, {rank} AS Rank, {filter} AND NOT IsDeleted AS Passes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    -- The row of a slower writer, which lost, has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY Seq, Version
