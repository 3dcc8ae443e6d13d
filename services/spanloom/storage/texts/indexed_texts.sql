-- The indexed ones among these texts. A text indexed on another day does not count: it would expire
-- before the version that has it now.
SELECT Project, TraceId, groupUniqArray(Hash) AS Hashes
FROM step_texts
WHERE (Project, TrajectoryStart, TraceId) IN JSONExtract({places:String}, 'Array(Tuple(String, UInt64, String))')
  AND toDate(UpdatedAt, 'UTC') = toDate(now(), 'UTC')
GROUP BY Project, TraceId
