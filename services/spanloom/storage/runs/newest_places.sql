-- The newest row at some positions of the list: the version that has the position, or that has left it.
SELECT Project, StartTimeUnixNano, TraceId, newest.1 AS Seq, newest.2 AS Version, newest.3 AS IsDeleted
FROM
(
    SELECT Project, StartTimeUnixNano, TraceId, max((Seq, Version, IsDeleted)) AS newest
    FROM trajectory_list
    WHERE (Project, StartTimeUnixNano, TraceId) IN JSONExtract({places:String}, 'Array(Tuple(String, UInt64, String))')
    GROUP BY Project, StartTimeUnixNano, TraceId
)
