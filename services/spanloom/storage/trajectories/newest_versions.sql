-- The span version that went into each of some trajectories, and their own version.
SELECT Project, TraceId, newest.1 AS Seq, newest.2 AS Version
FROM
(
    SELECT Project, TraceId, max((Seq, Version)) AS newest
    FROM trajectories
    WHERE (Project, TraceId) IN JSONExtract({keys:String}, 'Array(Tuple(String, String))')
    GROUP BY Project, TraceId
)
