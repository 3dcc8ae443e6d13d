-- The hashes of what the steps of some runs brought, by every row that the list has of them, oldest
-- first, and how much there is to read of each run.
SELECT Project, TraceId, StartTimeUnixNano, SpanCount, arrayFilter(hash -> hash != 0, `Steps.Text`) AS Hashes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    -- A row left by a writer that was overtaken has another start than the trajectory.
    SELECT Project, argMax(StartTimeUnixNano, (Seq, Version)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
  )
ORDER BY Seq, Version
