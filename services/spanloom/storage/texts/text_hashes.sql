-- The hashes of the texts of some runs, each at the step that brought it, and the number of spans of each run. Returns
-- every row of the list, oldest first; the last row of each run counts.
SELECT Project, TraceId, StartTimeUnixNano, SpanCount, arrayFilter(hash -> hash != 0, `Steps.Text`) AS Hashes
FROM trajectory_list
WHERE (Project, StartTimeUnixNano, TraceId) IN (
    SELECT Project, arrayJoin(arrayPushFront(Before, StartTimeUnixNano)), TraceId
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
  )
ORDER BY Seq, Version, IsDeleted DESC
