-- The hashes of the texts that steps of some runs brought, for every row of the list, oldest first,
-- and the size of each run's document.
SELECT Project, TraceId, StartTimeUnixNano, SpanCount, arrayFilter(hash -> hash != 0, `Steps.Text`) AS Hashes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    -- The row of a slower writer, which lost, has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY Seq, Version
