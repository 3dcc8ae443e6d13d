-- The texts of some runs that are in the index. A text indexed on an earlier day does not count, because it would expire
-- before the version that has it now.
SELECT Project, TraceId, groupUniqArray(Hash) AS Hashes
FROM step_texts
WHERE (Project, TrajectoryStart, TraceId) IN JSONExtract({places:String}, 'Array(Tuple(String, UInt64, String))')
  AND toDate(UpdatedAt, 'UTC') = toDate(now(), 'UTC')
GROUP BY Project, TraceId
