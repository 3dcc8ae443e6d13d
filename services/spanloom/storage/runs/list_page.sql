-- What the list has of some trajectories where they stand by now, oldest first, and whether a row
-- passes the filters: of each the last row counts. FINAL would compare all their neighbours too.
SELECT {columns}, Seq, {rank} AS Rank, {filter} AND NOT IsDeleted AS Passes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    -- A row left by a writer that was overtaken has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY Seq, Version
